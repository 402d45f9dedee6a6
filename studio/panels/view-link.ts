// What the view can do for panels. Whoever puts the page together connects it, since panels do not know it.
export type StandardView = 'front' | 'back' | 'right' | 'left' | 'top' | 'bottom';

export interface ViewLink {
  frame: () => void; // the selection, or everything
  frameMoving: () => void; // what moves, wherever it went
  look: (from: StandardView) => void;
  lookOpposite: () => void;
  flipProjection: () => void;
  isParallel: () => boolean;
  onTurn: (listener: (yaw: number, pitch: number) => void) => () => void; // called now, and whenever it looks from elsewhere
  onSight: (listener: (seen: boolean) => void) => () => void; // called whenever what moves leaves the view, or is in it again
  picture: () => Promise<Blob>;
}

// Where a studio's view is, once it is loaded.
export interface ViewPlace {
  now: () => ViewLink | null;
  connect: (link: ViewLink | null) => void;
  onChange: (follow: () => void) => () => void; // called when the view comes and goes
}

export function createViewPlace(): ViewPlace {
  let view: ViewLink | null = null;
  const followers = new Set<() => void>();
  return {
    now: () => view,
    connect: (link) => {
      view = link;
      for (const follow of followers) follow();
    },
    onChange: (follow) => {
      followers.add(follow);
      return () => void followers.delete(follow);
    },
  };
}
