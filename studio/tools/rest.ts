// A long press is a rest of the finger, not of the page: what fingers do while the page is busy is heard afterwards,
// and at the frame's rate. So only time in which the page was awake counts, and two frames have to pass after it.
const often = 50; // [ms]

export function afterRest(milliseconds: number, call: () => void): () => void {
  let rested = 0,
    last = performance.now(),
    frame = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    rested += Math.min(now - last, 1.5 * often);
    last = now;
    if (rested < milliseconds) return;
    clearInterval(timer);
    frame = requestAnimationFrame(() => (frame = requestAnimationFrame(call)));
  }, often);
  return () => {
    clearInterval(timer);
    cancelAnimationFrame(frame);
  };
}
