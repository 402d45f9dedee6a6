// The context menu: a list that takes the focus, obeys arrow keys and letters, and gives the focus back.
import { type MenuAction, type MenuEntry } from './menu-model';
import './tools.css';

export interface Menu {
  show(title: string, entries: MenuEntry[], x: number, y: number, act: (action: MenuAction) => void): void;
  close(): void;
  isOpen(): boolean;
}

// The menu of a view: `host` is the element that it opens in.
export function createMenu(host: HTMLElement): Menu {
  let open: (() => void) | null = null;
  const shown = (close: (() => void) | null): void => void (open = close);
  return {
    show: (title, entries, x, y, act) => {
      open?.();
      showMenu(host, title, entries, x, y, act, shown);
    },
    close: () => open?.(),
    isOpen: () => open !== null,
  };
}

// `shown` is told how to close it, and null once it is closed.
function showMenu(
  host: HTMLElement,
  title: string,
  entries: MenuEntry[],
  x: number,
  y: number,
  act: (action: MenuAction) => void,
  shown: (close: (() => void) | null) => void,
): void {
  const before = document.activeElement as HTMLElement | null;
  const menu = document.createElement('div');
  menu.className = 'tool-menu';
  menu.setAttribute('role', 'menu');
  menu.setAttribute('aria-label', title);
  const head = document.createElement('div');
  head.className = 'tool-menu-title';
  head.setAttribute('role', 'presentation');
  head.textContent = title;
  menu.append(head);
  const items: HTMLElement[] = [];
  for (const entry of entries) {
    const element = document.createElement('div');
    if (entry === 'line') element.setAttribute('role', 'separator');
    else {
      element.setAttribute('role', 'menuitem');
      element.tabIndex = -1;
      if (entry.danger) element.dataset.danger = '';
      const label = document.createElement('span');
      label.textContent = entry.label;
      element.append(label);
      if (entry.key) {
        const key = document.createElement('span');
        key.className = 'tool-menu-key';
        key.textContent = entry.key;
        key.setAttribute('aria-hidden', 'true');
        element.append(key);
      }
      element.addEventListener('click', () => {
        close();
        act(entry.action);
      });
      element.addEventListener('pointerenter', () => element.focus({ preventScroll: true }));
      items.push(element);
    }
    menu.append(element);
  }
  const close = () => {
    if (!menu.isConnected) return;
    shown(null);
    menu.remove();
    removeEventListener('pointerdown', outside, true);
    removeEventListener('blur', close);
    if (before?.isConnected) before.focus({ preventScroll: true });
  };
  const outside = (event: PointerEvent) => {
    if (!menu.contains(event.target as Node)) close();
  };
  menu.addEventListener('keydown', (event) => {
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = (k: number) => items[(k + items.length) % items.length]?.focus();
    if (event.key === 'ArrowDown') to(at + 1);
    else if (event.key === 'ArrowUp') to(at < 0 ? -1 : at - 1);
    else if (event.key === 'Home') to(0);
    else if (event.key === 'End') to(-1);
    else if (event.key === 'Enter' || event.key === ' ') items[at]?.click();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (event.key.length === 1) {
      const letter = event.key.toLowerCase();
      const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];
      order.find((item) => item.textContent?.toLowerCase().startsWith(letter))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  menu.addEventListener('contextmenu', (event) => event.preventDefault());
  host.append(menu);
  shown(close);
  const room = host.getBoundingClientRect(),
    size = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(x, room.width - size.width - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, room.height - size.height - 4))}px`;
  items[0]?.focus({ preventScroll: true });
  addEventListener('pointerdown', outside, true);
  addEventListener('blur', close);
}
