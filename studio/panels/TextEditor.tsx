// The scene's text beside the view. What is typed becomes the scene after a moment of rest; what tools change in the
// text is applied here piece by piece, under what is being typed, so that cursor and history stay.
import { autocompletion } from '@codemirror/autocomplete';
import { indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { ChangeSet, EditorState, StateEffect, StateField, Transaction, type Text } from '@codemirror/state';
import { Decoration, EditorView, keymap, type DecorationSet } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { isUnsaved } from '../engine/mirror';
import type { Problem } from '../store/store';
import { rangeInLine } from './bytes';
import { changesBetween } from './changes';
import { Glyph } from './glyphs';
import { concern } from './health';
import { completeScene, sceneColours, sceneFolds, sceneLanguage } from './language';
import { counted } from './numbers';
import type { Documents } from './documents';
import { usePage, useStudio } from './use';
import './TextEditor.css';

const rest = 300; // [ms] without a key after which the text is read

export function diagnosticsOf(problems: Problem[], doc: Text, name: string): Diagnostic[] {
  return problems.map((problem) => {
    const here = problem.file === '' || problem.file === name || name.endsWith(`/${problem.file}`);
    const remedy = problem.remedy === '' ? '' : `; ${problem.remedy}`;
    const line = doc.line(Math.min(Math.max(1, here ? problem.line : 1), doc.lines));
    const range = here && problem.line > 0 ? rangeInLine(line.text, problem.column, problem.width) : { from: 0, to: line.length };
    const place = here ? '' : `${problem.file}:${problem.line}: `;
    return { from: line.from + range.from, to: line.from + range.to, severity: problem.severity, message: `${place}${problem.what}${remedy}` };
  });
}

const markLines = StateEffect.define<number[]>();
const markedLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects)
      if (effect.is(markLines))
        next = Decoration.set(
          effect.value.map((at) => Decoration.line({ class: 'text-selected-line' }).range(at)),
          true,
        );
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--bg-raised)', fontSize: '13px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '6px 0 40vh' },
  '.cm-gutters': { backgroundColor: 'var(--bg-raised)', color: 'var(--text-dim)', border: 'none' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--text) 4%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--accent) 16%, transparent)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--ok) 24%, transparent)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--bg-sunken)', border: '1px solid var(--line)', color: 'var(--text-dim)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--bg-raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--accent-text)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14em' },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.8', marginLeft: '1em' },
  '.cm-panels': { backgroundColor: 'var(--bg-sunken)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-panels input, .cm-panels button': {
    font: '12px var(--font)',
    backgroundImage: 'none',
    backgroundColor: 'var(--bg-raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
  },
  '.cm-diagnostic': { fontFamily: 'var(--font)', padding: '5px 10px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--error)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--error)', textDecorationSkipInk: 'none', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)', textDecorationSkipInk: 'none', textUnderlineOffset: '3px' },
});

// The editor against the page: `shown` is what the page says is written, as far as the editor has heard of it, `own` what
// was typed since.
class Sync {
  private shown: string;
  private own: ChangeSet;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly view: () => EditorView | null,
    private readonly documents: Documents,
  ) {
    this.shown = documents.written();
    this.own = ChangeSet.empty(this.shown.length);
  }

  typed(changes: ChangeSet): void {
    this.own = this.own.compose(changes);
    this.wait();
    this.timer = setTimeout(() => void this.flush(), rest);
  }

  async flush(): Promise<void> {
    this.wait();
    const text = this.view()?.state.doc.toString();
    if (text !== undefined && text !== this.shown) await this.documents.commitText(text);
  }

  // Something else is written now: what was sent from here, or what a tool has made of it.
  heard(): void {
    const view = this.view();
    const text = this.documents.written();
    if (!view || text === this.shown) return;
    const before = this.shown;
    this.shown = text;
    if (text === view.state.doc.toString()) {
      this.own = ChangeSet.empty(text.length);
      return;
    }
    const theirs = ChangeSet.of(changesBetween(before, text), before.length);
    view.dispatch({
      changes: theirs.map(this.own, true),
      annotations: [Transaction.addToHistory.of(false), Transaction.remote.of(true)],
    });
    this.own = this.own.map(theirs);
  }

  restart(): void {
    this.shown = this.documents.written();
    this.own = ChangeSet.empty(this.shown.length);
    this.wait();
  }

  private wait(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}

export default function TextEditor() {
  const { page, get, documents } = useStudio();
  const host = useRef<HTMLDivElement>(null);
  const viewRef = useRef<EditorView | null>(null);
  const [sync] = useState(() => new Sync(() => viewRef.current, documents));
  const problems = usePage((p) => p.problems);
  const unsaved = usePage(isUnsaved);
  const name = usePage((p) => p.scene?.name) ?? '';
  const pending = useStore(documents.state, (f) => f.pending);
  const but = usePage(concern);

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const extensions = [
      // Before the others, so that the browser does not save the page instead.
      keymap.of([
        {
          key: 'Mod-s',
          preventDefault: true,
          run: () => {
            void sync.flush().then(documents.save);
            return true;
          },
        },
      ]),
      basicSetup,
      indentUnit.of('  '),
      sceneLanguage,
      sceneFolds,
      syntaxHighlighting(sceneColours),
      look,
      markedLines,
      lintGutter(),
      EditorView.lineWrapping,
      autocompletion({ icons: false, override: [completeScene(() => ({ catalogue: get().catalogue, scene: get().scene }))] }),
      EditorView.contentAttributes.of({ 'aria-label': 'Text of the scene', tabindex: '0', spellcheck: 'false', autocorrect: 'off', autocapitalize: 'off' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !update.transactions.some((t) => t.annotation(Transaction.remote))) sync.typed(update.changes);
        if (update.focusChanged && !update.view.hasFocus) void sync.flush();
      }),
    ];
    const fresh = (): EditorState => EditorState.create({ doc: documents.written(), extensions });
    const view = new EditorView({ state: fresh(), parent: element });
    viewRef.current = view;
    sync.restart();
    const show = (list: Problem[]): void => {
      view.dispatch(setDiagnostics(view.state, diagnosticsOf(list, view.state.doc, documents.sceneName())));
    };
    // The lines of what is selected are marked; the first is scrolled to, unless someone is typing.
    const mark = (): void => {
      const { selection, scene } = get();
      const lines = [
        ...selection.solids.map((n) => scene?.solids.find((s) => s.name === n)?.line ?? 0),
        ...selection.joints.map((n) => scene?.joints.find((j) => j.name === n)?.line ?? 0),
      ].filter((line) => line > 0 && line <= view.state.doc.lines);
      const starts = [...new Set(lines)].map((line) => view.state.doc.line(line).from);
      const effects: StateEffect<unknown>[] = [markLines.of(starts)];
      if (starts[0] !== undefined && !view.hasFocus) effects.push(EditorView.scrollIntoView(starts[0], { y: 'center' }));
      view.dispatch({ effects });
    };
    show(get().problems);
    mark();
    const stop = page.subscribe((now, before) => {
      if (now.text !== before.text || now.draft !== before.draft) sync.heard();
      if (now.problems !== before.problems) show(now.problems);
      if (now.selection !== before.selection) mark();
    });
    const stopFiles = documents.state.subscribe((now, before) => {
      if (now.opened === before.opened) return;
      view.setState(fresh()); // another scene: nothing of the old one can be undone
      view.scrollDOM.scrollTop = 0;
      sync.restart();
      show(get().problems);
    });
    // Less room, as when a problem is said below it or a keyboard comes up: what is being typed stays in view.
    let room = element.clientHeight;
    const resized = new ResizeObserver(() => {
      const before = room;
      room = element.clientHeight;
      if (room < before && view.hasFocus) view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) });
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      void sync.flush();
      stop();
      stopFiles();
      view.destroy();
      viewRef.current = null;
    };
  }, [page, get, documents, sync]);

  const errors = problems.filter((p) => p.severity === 'error').length;
  const warnings = problems.length - errors;
  const first = problems.find((p) => p.severity === 'error') ?? problems[0];
  const goTo = (problem: Problem): void => {
    const view = viewRef.current;
    if (!view) return;
    const at = diagnosticsOf([problem], view.state.doc, documents.sceneName())[0];
    if (!at) return;
    view.dispatch({ selection: { anchor: at.from }, effects: EditorView.scrollIntoView(at.from, { y: 'center' }) });
    view.focus();
  };
  return (
    <div className="panel text-editor">
      <h2 className="visually-hidden">Text</h2>
      <div className="text-host" ref={host} />
      <div className={`text-problems${errors > 0 ? ' bad' : ''}`} role="status">
        {first ? (
          <button type="button" className="text-problem" onClick={() => goTo(first)}>
            <Glyph name="warn" />
            <span>
              {first.line > 0 ? `${first.line}:${first.column}: ` : ''}
              {first.what}
              {first.remedy === '' ? '' : `; ${first.remedy}`}
            </span>
            {problems.length > 1 ? (
              <span className="text-more">
                {[errors > 0 ? counted(errors, 'error') : '', warnings > 0 ? counted(warnings, 'warning') : ''].filter((w) => w !== '').join(', ')}
              </span>
            ) : null}
          </button>
        ) : but ? (
          <span className="text-but">
            <Glyph name="warn" />
            The text has no errors, but {but}.
          </span>
        ) : (
          <span className="text-fine">
            <Glyph name="check" />
            No problems
          </span>
        )}
        <a className="text-language" href="docs/scene-language.html" target="_blank" rel="noreferrer">
          About the language
        </a>
        <span className="text-name">
          {pending?.name ?? name}
          {unsaved ? <span className="text-dirty"> · not saved</span> : null}
        </span>
      </div>
    </div>
  );
}
