// Colours of methods, the same in the view's ghosts, the plots and the comparison. Middle tones: they are seen on
// light and on dark.
const colours: Record<string, string> = {
  energy: '#2f7de1',
  interactive: '#e2703a',
  displacement: '#2ca58d',
  shake: '#c0398b',
  relaxation: '#8c6bd8',
  baumgarte: '#d1a21b',
  implicit: '#4fa83d',
  poststabilized: '#d64545',
  recursive: '#1aa3c4',
};

export const methodColour = (method: string): string => colours[method] ?? '#888888';
