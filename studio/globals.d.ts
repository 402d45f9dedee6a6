declare const __TENON_VERSION__: string;
