// How well letters in order fit a text: beginnings of words count more, gaps less. Null: not at all.
export function fuzzy(query: string, text: string): { score: number; at: number[] } | null {
  const wanted = query.toLowerCase().replace(/\s+/g, '');
  if (wanted === '') return { score: 0, at: [] };
  const low = text.toLowerCase();
  const whole = low.indexOf(query.trim().toLowerCase());
  if (whole >= 0) {
    const start = whole === 0 || /[^a-z0-9]/.test(low[whole - 1] as string);
    const length = query.trim().length;
    return { score: 100 + (start ? 50 : 0) - whole * 0.1 - text.length * 0.05, at: Array.from({ length }, (_, i) => whole + i) };
  }
  const at: number[] = [];
  let score = 0;
  let from = 0;
  for (const letter of wanted) {
    // The beginning of a word if there is one, else the next place.
    let found = -1;
    for (let i = from; i < low.length; i += 1) {
      if (low[i] !== letter) continue;
      if (found < 0) found = i;
      if (i === 0 || /[^a-z0-9]/.test(low[i - 1] as string)) {
        // Only if the rest still fits behind it.
        if (i === found || rest(low, i + 1, wanted.slice(at.length + 1))) found = i;
        break;
      }
    }
    if (found < 0) return null;
    const previous = at[at.length - 1];
    if (previous === found - 1) score += 6;
    else score -= Math.min(5, (found - from) * 0.3);
    if (found === 0 || /[^a-z0-9]/.test(low[found - 1] as string)) score += 8;
    at.push(found);
    from = found + 1;
  }
  return { score: score - text.length * 0.05, at };
}

function rest(text: string, from: number, letters: string): boolean {
  let at = from;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
