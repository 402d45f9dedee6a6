// Signs of the page's own buttons: 16 px, drawn in the colour of the text.
const paths = {
  play: 'M4.5 2.8v10.4L13 8z',
  pause: 'M5 3v10M11 3v10',
  step: 'M3.5 3v10l6-5zM12.5 3v10',
  reset: 'M3 8a5 5 0 1 0 1.6-3.7M3 2.5V5.5H6',
  undo: 'M6 3 2.8 6.2 6 9.4M3 6.2h6.2a3.6 3.6 0 0 1 0 7.2H7',
  redo: 'M10 3l3.2 3.2L10 9.4M13 6.2H6.8a3.6 3.6 0 0 0 0 7.2H9',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.4v1.4M8 13.2v1.4M1.4 8h1.4M13.2 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M12.7 3.3l-1 1M4.3 11.7l-1 1',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z',
  system: 'M2 3h12v8H2zM6 13.5h4M8 11v2.5',
  left: 'M2 3h12v10H2zM6 3v10',
  right: 'M2 3h12v10H2zM10 3v10',
  text: 'M3 4h10M3 7h7M3 10h9M3 13h5',
  plots: 'M2.5 2.5v11h11M4.5 10.5l2.6-3.4 2.2 1.8 3.7-4.9',
  search: 'M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4zM10.2 10.2l3.3 3.3',
  close: 'M4 4l8 8M12 4l-8 8',
  hand: 'M5.5 8V4.2a1 1 0 0 1 2 0V7.5M7.5 7V3.2a1 1 0 0 1 2 0V7.5M9.5 7.2V4.4a1 1 0 0 1 2 0v5.1a4 4 0 0 1-4 4c-2 0-2.9-.9-4.3-3.6-.5-1 .7-1.7 1.4-.9l.9 1.1V6',
  bolt: 'M9 1.8 3.8 9h3.6L7 14.2 12.2 7H8.6z',
  dice: 'M3 3h10v10H3zM5.7 5.7h.01M10.3 10.3h.01M8 8h.01M10.3 5.7h.01M5.7 10.3h.01',
  help: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.3M8 11.4h.01',
  stop: 'M4 4h8v8H4z',
} as const;

export type IconName = keyof typeof paths;

export default function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true">
      <path d={paths[name]} fill={name === 'play' || name === 'stop' ? 'currentColor' : 'none'} />
    </svg>
  );
}
