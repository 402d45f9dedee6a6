// What `./dev lint` asks of the page's TypeScript, beside its types. Layout is Prettier's.
import hooks from 'eslint-plugin-react-hooks';
import { defineConfig } from 'eslint/config';
import { configs } from 'typescript-eslint';

export default defineConfig(
  { ignores: ['dist', 'public', 'scripts', '*.js', '*.config.ts'] },
  configs.recommended,
  hooks.configs['recommended-latest'],
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: { parserOptions: { project: 'tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-nocheck': 'allow-with-description' }],
      // A promise that nobody waits for is marked with `void`.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
    },
  },
);
