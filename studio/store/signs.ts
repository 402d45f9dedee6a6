// Lines that are drawn both in panels (SVG) and in the view (canvas): 16 across.
export const snowflake = 'M8 1.5v13M2.4 4.8l11.2 6.4M13.6 4.8 2.4 11.2M6.4 2.8 8 4.3l1.6-1.5M6.4 13.2 8 11.7l1.6 1.5';
