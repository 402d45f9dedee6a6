// How components see the page.
import { useStore } from 'zustand';
import { page, type Page } from './store';

export function usePage<T>(select: (page: Page) => T): T {
  return useStore(page, select);
}
