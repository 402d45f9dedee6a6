// Icons of the panels: 16 px, drawn with the colour of the text around them.
import type { ReactElement } from 'react';
import { snowflake } from '../store/signs';

const paths = {
  group: <path d="M2 4.5h4l1.5 1.5H14v7H2z" />,
  dynamic: <path d="M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6" />,
  immobile: <path d="M8 1.8 13.5 5v5L8 13M8 1.8 2.5 5v5L8 13M2 14.5h12M2.5 5 8 8l5.5-3M8 8v5" />,
  animated: <path d="M3 3.5h7v7H3zM12 6l2 2-2 2M6 13h6.5a1.5 1.5 0 0 0 1.5-1.5V8" />,
  joint: (
    <>
      <circle cx="8" cy="8" r="2.4" />
      <path d="M1.5 8h4.1M10.4 8h4.1" />
    </>
  ),
  pinjoint: (
    <>
      <circle cx="8" cy="8" r="5" />
      <circle cx="8" cy="8" r="1.2" />
    </>
  ),
  ball: (
    <>
      <circle cx="8" cy="6.5" r="3.6" />
      <path d="M3 9.5a5.6 5.6 0 0 0 10 0M8 12.6v2" />
    </>
  ),
  slide: <path d="M1.5 11.5h13M5 5h6v4H5zM3 7H1.5M14.5 7H13" />,
  gear: (
    <>
      <circle cx="8" cy="8" r="2" />
      <path d="M8 1.8v2.4M8 11.8v2.4M1.8 8h2.4M11.8 8h2.4M3.6 3.6l1.7 1.7M10.7 10.7l1.7 1.7M12.4 3.6l-1.7 1.7M5.3 10.7l-1.7 1.7" />
    </>
  ),
  rope: <path d="M3 2.5c4 2 0 4 4 5.5s2 4 6 5.5M2 2.5h2M12 13.5h2" />,
  weld: <path d="M3 13.5V3h3v7h7v3.5zM6 10l2.5-2.5" />,
  pin: <path d="M8 9.5V14M5 9.5h6l-1.2-2.3V3.5h.7V2h-5v1.5h.7v3.7z" />,
  freeze: <path d={snowflake} />,
  merge: <path d="M6.5 9.5 9.5 6.5M7 4.5l1.3-1.3a2.9 2.9 0 0 1 4.1 4.1L11 8.8M9 11.5l-1.3 1.3a2.9 2.9 0 0 1-4.1-4.1L5 7.2" />,
  warn: <path d="M8 2.2 14.5 13.5h-13zM8 6.5v3.2M8 11.4v.4" />,
  fight: <path d="M2.5 2.5 13.5 13.5M13.5 2.5 2.5 13.5M2.5 10l3.5 3.5M10 13.5l3.5-3.5" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.2" />
      <path d="m10.2 10.2 4 4" />
    </>
  ),
  close: <path d="m3.5 3.5 9 9M12.5 3.5l-9 9" />,
  chevron: <path d="m6 4 4 4-4 4" />,
  file: <path d="M3.5 1.8h6L13 5.3v8.9H3.5zM9.5 1.8v3.5H13" />,
  open: <path d="M1.8 4h4.4l1.3 1.5h5.3v2M1.8 4v9h10l2.4-5.5H4L1.8 13" />,
  save: <path d="M2.5 2.5h8.8l2.2 2.2v8.8h-11zM5 2.5v3.8h5V2.5M4.8 13.5V9.2h6.4v4.3" />,
  share: (
    <>
      <circle cx="12" cy="3.5" r="1.8" />
      <circle cx="4" cy="8" r="1.8" />
      <circle cx="12" cy="12.5" r="1.8" />
      <path d="m5.6 7.1 4.8-2.7M5.6 8.9l4.8 2.7" />
    </>
  ),
  embed: <path d="m5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5 14 8l-3.5 3.5" />,
  picture: (
    <>
      <path d="M2 3h12v10H2zM2 11l3.5-3.5 3 3L11 8l3 3" />
      <circle cx="5.2" cy="5.8" r=".9" />
    </>
  ),
  record: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <circle cx="8" cy="8" r="2.2" fill="currentColor" />
    </>
  ),
  gallery: <path d="M2 2.5h5v5H2zM9 2.5h5v5H9zM2 9.5h5v4H2zM9 9.5h5v4H9z" />,
  text: <path d="M2.5 3.5h11M2.5 6.5h7M2.5 9.5h9M2.5 12.5h5" />,
  key: <path d="M1.8 4h12.4v8H1.8zM4 6.5h.6M6.6 6.5h.6M9.2 6.5h.6M11.6 6.5h.6M4.5 9.5h7" />,
  new: <path d="M8 3v10M3 8h10" />,
  trash: <path d="M2.5 4.2h11M6 4.2V2.5h4v1.7M4 4.2l.6 9.3h6.8l.6-9.3M6.8 6.8v4M9.2 6.8v4" />,
  target: (
    <>
      <circle cx="8" cy="8" r="4.5" />
      <path d="M8 1.5v4M8 10.5v4M1.5 8h4M10.5 8h4" />
    </>
  ),
  eye: (
    <>
      <path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z" />
      <circle cx="8" cy="8" r="2" />
    </>
  ),
  frame: <path d="M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M6 6h4v4H6z" />,
  parallel: <path d="M2.5 5.5h7.5v8H2.5zM2.5 5.5 6 2.5h7.5v8l-3.5 3M10 5.5l3.5-3" />,
  force: <path d="M2.5 13.5 12.5 3.5M7.5 3h5.5v5.5" />,
  copy: <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />,
  check: <path d="m3 8.5 3.2 3.2L13 5" />,
  menu: <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  undo: <path d="M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M5.8 3.5 3 6.5l2.8 3" />,
} satisfies Record<string, ReactElement>;

export type GlyphName = keyof typeof paths;

export function Glyph({ name, label }: { name: GlyphName; label?: string }) {
  return (
    <svg
      className="glyph"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.3"
      strokeLinecap="round"
      strokeLinejoin="round"
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}>
      {label ? <title>{label}</title> : null}
      {paths[name]}
    </svg>
  );
}

export function jointGlyph(kind: string): GlyphName {
  switch (kind) {
    case 'pin':
    case 'hooke':
    case 'angle':
    case 'twist':
    case 'fold':
      return 'pinjoint';
    case 'ball':
    case 'in-sphere':
    case 'surface':
      return 'ball';
    case 'prismatic':
    case 'cylindrical':
    case 'point-on-line':
    case 'point-on-plane':
    case 'planar':
    case 'segment':
    case 'ring':
    case 'curve':
    case 'screw':
    case 'rolling':
      return 'slide';
    case 'gear':
      return 'gear';
    case 'rope':
    case 'distance':
      return 'rope';
    case 'weld':
      return 'weld';
    default:
      return 'joint';
  }
}
