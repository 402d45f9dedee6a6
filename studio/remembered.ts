// What the page remembers between visits: sizes, open panels, theme. Where storage is forbidden, nothing.
export function remembered<T extends object>(key: string, fallback: T): T {
  try {
    const text = localStorage.getItem(`tenon.${key}`);
    const value: unknown = text === null ? null : JSON.parse(text);
    return value !== null && typeof value === 'object' ? { ...fallback, ...value } : fallback;
  } catch {
    return fallback;
  }
}

export function remember(key: string, value: object): void {
  try {
    localStorage.setItem(`tenon.${key}`, JSON.stringify(value));
  } catch {
    // It is a comfort, not a need.
  }
}
