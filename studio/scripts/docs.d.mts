export function render(markdown: string): string;
export function renderDocs(): { name: string; html: string }[];
