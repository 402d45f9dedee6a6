import { describe, expect, it } from 'vitest';
import { allIncluded, namesIncluded, selfContained } from '../includes';

describe('included files', () => {
  const files = { 'a.tenon': 'include "sub/b.tenon"; // both\nparam a 1;', 'sub/b.tenon': 'param b 1;\n', 'loop.tenon': 'include "loop.tenon";\n' };
  it('are found where the language has them, not in comments and texts', () => {
    const text = 'title "include \\"x\\";";\n// include "y";\n/* include "z"; */ include "a.tenon"; figure f include "b" ; end';
    expect(namesIncluded(text)).toEqual(['a.tenon', 'b']);
    expect(allIncluded('include "a.tenon";', files)).toEqual(['a.tenon', 'sub/b.tenon']);
  });
  it('are put in place, with a comment where they came from', () => {
    expect(selfContained('title "x";\ninclude "./a.tenon"; // figures\nparam c 1;\n', files)).toBe(
      'title "x";\n// From ./a.tenon:\n// From sub/b.tenon:\nparam b 1;\n// End of sub/b.tenon.\n // both\nparam a 1;\n// End of ./a.tenon.\n // figures\nparam c 1;\n',
    );
  });
  it('that are not known stay as they are, and so do those that include themselves', () => {
    expect(selfContained('include "gone.tenon";\n', files)).toBe('include "gone.tenon";\n');
    expect(selfContained('include "loop.tenon";', files)).toBe('// From loop.tenon:\ninclude "loop.tenon";\n// End of loop.tenon.');
  });
});
