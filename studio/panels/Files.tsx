// The menu of files, its dialogs, and dropping files on the page.
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { createPortal } from 'react-dom';
import { useStore } from 'zustand';
import { forget, type Kept } from '../engine/autosave';
import { commands, keyCaps } from './commands';
import Dialog from './Dialog';
import type { Part } from './documents';
import { Glyph, type GlyphName } from './glyphs';
import { embedCode, reachOf, shareLink, type Reach } from './share';
import { usePage, useStudio } from './use';
import './Files.css';

const listWidth = 280; // [px]

// The dialogs close themselves so.
function useDocuments() {
  const { documents } = useStudio();
  const { state } = documents;
  return { documents, state, closeDialog: (): void => state.setState({ dialog: null }) };
}

const items: (string | null)[] = ['new', 'open', 'panel-gallery', null, 'save', 'revert', 'recover', null, 'share', 'embed', null, 'picture', 'recording'];
const glyphs: Record<string, GlyphName> = {
  new: 'new',
  open: 'open',
  'panel-gallery': 'gallery',
  save: 'save',
  revert: 'undo',
  recover: 'file',
  share: 'share',
  embed: 'embed',
  picture: 'picture',
  recording: 'record',
};

function Menu() {
  const studio = useStudio();
  const [open, setOpen] = useState(false);
  const [place, setPlace] = useState({ top: 0, left: 0 });
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const away = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node) && !button.current?.contains(event.target as Node)) setOpen(false);
    };
    window.addEventListener('pointerdown', away);
    return () => window.removeEventListener('pointerdown', away);
  }, [open]);
  // In the window's own coordinates: a bar that scrolls would cut it off.
  const show = (): void => {
    const rect = button.current?.getBoundingClientRect();
    if (rect) setPlace({ top: rect.bottom + 4, left: Math.max(8, Math.min(rect.left, window.innerWidth - listWidth - 8)) });
    setOpen(true);
  };
  const onKey = (event: KeyboardEvent): void => {
    const all = [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const go: Record<string, number> = { ArrowDown: (at + 1) % all.length, ArrowUp: (at - 1 + all.length) % all.length, Home: 0, End: all.length - 1 };
    if (go[event.key] !== undefined) {
      event.preventDefault();
      all[go[event.key] as number]?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      setOpen(false);
      button.current?.focus();
      event.stopPropagation();
    }
  };
  return (
    <div className="files-menu">
      <button
        ref={button}
        type="button"
        className="button quiet"
        aria-haspopup="menu"
        aria-expanded={open}
        {...(open ? { 'aria-controls': id } : {})}
        onClick={() => (open ? setOpen(false) : show())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          show();
        }}>
        <Glyph name="file" />
        <span className="files-word">File</span>
      </button>
      {open ? (
        <div
          ref={box}
          id={id}
          className="files-list"
          role="menu"
          aria-label="File"
          style={{ ...place, width: listWidth, maxHeight: `calc(100dvh - ${place.top + 8}px)` }}
          onKeyDown={onKey}>
          {items.map((item, i) => {
            const command = commands.find((c) => c.id === item);
            if (!command || item === null) return <div key={`line${i}`} role="separator" />;
            const off = command.enabled ? !command.enabled(studio) : false;
            return (
              <button
                key={item}
                type="button"
                role="menuitem"
                tabIndex={-1}
                className="files-item"
                aria-disabled={off}
                onClick={() => {
                  if (off) return;
                  setOpen(false);
                  button.current?.focus();
                  command.run(studio);
                }}>
                <Glyph name={glyphs[item] ?? 'file'} />
                <span>{command.title}</span>
                <span className="files-keys">
                  {command.keys
                    .slice(0, 1)
                    .flatMap(keyCaps)
                    .map((cap) => (
                      <kbd key={cap}>{cap}</kbd>
                    ))}
                </span>
              </button>
            );
          })}
        </div>
      ) : null}
    </div>
  );
}

function Copy({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="button primary"
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => document.querySelector<HTMLTextAreaElement>('.dialog textarea')?.select(),
        )
      }>
      <Glyph name={copied ? 'check' : 'copy'} />
      {copied ? 'Copied' : label}
    </button>
  );
}

const reaches: Record<Exclude<Reach, 'all'>, string> = {
  machine: 'works only on this machine, and only while “tenon studio” runs',
  network: 'works only in your own network, and only while “tenon studio” runs',
};

function ShareDialog({ embed }: { embed: boolean }) {
  const { get } = useStudio();
  const { documents, closeDialog } = useDocuments();
  const [link, setLink] = useState('');
  const [moving, setMoving] = useState(false);
  const [lacks, setLacks] = useState<string[]>([]);
  useEffect(() => {
    void documents.sharedScene().then((scene) => {
      setLacks(scene.lacks);
      setLink(shareLink(window.location.href, scene, embed));
      setMoving(scene.moving);
    });
  }, [documents, embed]);
  const reach = reachOf(window.location.href);
  const title = get().scene?.title || documents.baseName();
  const text = embed && link !== '' ? embedCode(link, title) : link;
  return (
    <Dialog title={embed ? 'Embed in a page' : 'Share a link'} onClose={closeDialog}>
      <div className="dialog-body">
        <p>
          {embed
            ? 'Put this code into a web page. Visitors can play the scene there and pull at it.'
            : 'The link holds the whole scene, in its present pose. Nothing is stored anywhere else.'}
        </p>
        {reach === 'all' ? null : (
          <p role="note">
            <b>
              {embed ? 'This code' : 'This link'} {reaches[reach]}.
            </b>{' '}
            To give the scene to others, send them the file. They can drop it on the page of any studio.
          </p>
        )}
        <textarea readOnly value={text} aria-label={embed ? 'Code' : 'Link'} data-autofocus onFocus={(event) => event.target.select()} />
        {link.length > 8000 ? (
          <p className="hint">The link is long ({Math.round(link.length / 1000)} thousand letters), and some programs cut long links. A saved file is safer.</p>
        ) : null}
        {moving ? <p className="hint">Velocities are not shared: the scene opens at rest.</p> : null}
        {lacks.map((sentence) => (
          <p key={sentence} className="hint">
            {sentence}
          </p>
        ))}
      </div>
      <div className="dialog-foot">
        {reach === 'all' ? null : (
          <button type="button" className="button" onClick={() => void documents.downloadShared()}>
            Save the file
          </button>
        )}
        {embed ? null : (
          <a className="button" href={link} target="_blank" rel="noreferrer">
            Open in a new tab
          </a>
        )}
        <Copy text={text} label={embed ? 'Copy the code' : 'Copy the link'} />
      </div>
    </Dialog>
  );
}

function ServerDialog() {
  const { documents, state, closeDialog } = useDocuments();
  const list = useStore(state, (f) => f.list);
  const [query, setQuery] = useState('');
  const shown = list.filter((path) => path.toLowerCase().includes(query.trim().toLowerCase()));
  const open = async (path: string): Promise<void> => {
    if (!(await documents.mayDiscard())) return;
    closeDialog();
    await documents.openServerFile(path);
  };
  return (
    <Dialog title="Open" onClose={closeDialog}>
      <div className="dialog-body">
        <input
          type="search"
          className="files-search"
          data-autofocus
          placeholder="Search files"
          aria-label="Search files"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && shown[0]) void open(shown[0]);
          }}
        />
        <ul className="files-server">
          {shown.map((path) => (
            <li key={path}>
              <button type="button" className="files-item" onClick={() => void open(path)}>
                <Glyph name="file" />
                <span>{path}</span>
              </button>
            </li>
          ))}
        </ul>
        {shown.length === 0 ? <p className="hint">{list.length === 0 ? 'The folder has no .tenon files yet.' : 'No file has such a name.'}</p> : null}
      </div>
      <div className="dialog-foot">
        <button
          type="button"
          className="button"
          onClick={() => {
            closeDialog();
            documents.pickLocal();
          }}>
          From this computer …
        </button>
      </div>
    </Dialog>
  );
}

function SaveAsDialog() {
  const { documents, closeDialog } = useDocuments();
  const [path, setPath] = useState(documents.proposedPath);
  const id = useId();
  const name = path.trim().endsWith('.tenon') ? path.trim() : `${path.trim()}.tenon`;
  const go = (): void => {
    if (path.trim() !== '') void documents.saveAs(name);
  };
  return (
    <Dialog title="Save" onClose={closeDialog}>
      <div className="dialog-body">
        <label htmlFor={id}>File name, in the folder of “tenon studio”</label>
        <input
          id={id}
          type="text"
          className="files-search"
          data-autofocus
          value={path}
          onChange={(event) => setPath(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') go();
          }}
        />
      </div>
      <div className="dialog-foot">
        <button type="button" className="button" onClick={closeDialog}>
          Cancel
        </button>
        <button type="button" className="button primary" disabled={path.trim() === ''} onClick={go}>
          Save
        </button>
      </div>
    </Dialog>
  );
}

function ConflictDialog() {
  const { documents, state, closeDialog } = useDocuments();
  const saving = useStore(state, (f) => f.saving);
  const path = saving?.path ?? '';
  return (
    <Dialog title="The file has changed" onClose={closeDialog}>
      <div className="dialog-body">
        <p>
          <b>{path}</b> is not the file that you opened. Another program has written to it, or a file of this name existed already.
        </p>
      </div>
      <div className="dialog-foot">
        <button type="button" className="button" onClick={closeDialog}>
          Cancel
        </button>
        <button type="button" className="button" onClick={() => state.setState({ dialog: 'save-as' })}>
          Save under another name
        </button>
        <button
          type="button"
          className="button"
          onClick={() => {
            closeDialog();
            void documents.openServerFile(path);
          }}>
          Load the other version
        </button>
        <button type="button" className="button primary" onClick={() => void documents.saveToServer(path, 'anyway', saving?.whole)}>
          Replace the file
        </button>
      </div>
    </Dialog>
  );
}

// Which included files the scene would not find where it is saved, before it is written there.
function IncludesDialog() {
  const { documents, state, closeDialog } = useDocuments();
  const saving = useStore(state, (f) => f.saving);
  if (!saving) return null;
  const { path, lacks } = saving;
  const write = (whole: boolean): void => void (path === null ? documents.saveDownload(whole) : documents.saveToServer(path, 'new', whole));
  return (
    <Dialog title="This scene includes other files" onClose={closeDialog}>
      <div className="dialog-body">
        <p>
          {path === null ? (
            <>
              A downloaded <b>{documents.baseName()}.tenon</b> opens only if these files are beside it:
            </>
          ) : (
            <>
              In that folder, <b>{path}</b> would not find the files that it includes:
            </>
          )}
        </p>
        <ul className="files-lacks">
          {lacks.map(({ name, there }) => (
            <li key={name}>
              <b>{name}</b>
              {path === null ? null : there ? ' has a different text in that folder' : ' is not in that folder'}
            </li>
          ))}
        </ul>
        <p>One self-contained file also holds the texts of these files. Comments say where each text came from.</p>
      </div>
      <div className="dialog-foot">
        <button type="button" className="button" onClick={closeDialog}>
          Cancel
        </button>
        <button type="button" className="button" onClick={() => write(false)}>
          Save without them
        </button>
        <button type="button" className="button primary" data-autofocus onClick={() => write(true)}>
          Save one self-contained file
        </button>
      </div>
    </Dialog>
  );
}

const losses: Record<string, string> = {
  text: 'Your changes to the text are not saved.',
  pose: 'The pose and the holds (pins, frozen joints, limits, forces) are not saved.',
  'text pose': 'Your changes to the text, the pose and the holds (pins, frozen joints, limits, forces) are not saved.',
};
const lossOf = (losing: Part[]): string => losses[losing.join(' ')] ?? '';

function DiscardDialog() {
  const { documents, state } = useDocuments();
  const question = useStore(state, (f) => f.question);
  if (!question) return null;
  const { losing, answer } = question;
  return (
    <Dialog title="Discard changes and open another scene?" onClose={() => answer('cancel')}>
      <div className="dialog-body">
        <p>
          <b>{documents.sceneName()}</b>: {lossOf(losing)}
        </p>
        <p className="hint">This browser keeps what you discard for a while. “File, Recover unsaved work” brings it back.</p>
      </div>
      <div className="dialog-foot">
        <button type="button" className="button" data-autofocus onClick={() => answer('cancel')}>
          Cancel
        </button>
        <button type="button" className="button" onClick={() => answer('discard')}>
          Discard changes
        </button>
        <button type="button" className="button primary" onClick={() => answer('save')}>
          Save first
        </button>
      </div>
    </Dialog>
  );
}

const titleOf = ({ save, draft }: Kept): string => /^\s*title\s+"([^"\n]*)"/m.exec(draft ?? save.text)?.[1] ?? save.name;

function RecoverDialog() {
  const { documents, closeDialog } = useDocuments();
  const [records, setRecords] = useState<Kept[] | null>(null);
  useEffect(() => void documents.recoverable().then(setRecords), [documents]);
  return (
    <Dialog title="Recover unsaved work" onClose={closeDialog}>
      <div className="dialog-body">
        <p>These scenes were changed in this browser and never saved. The list leaves out scenes that are open in another tab.</p>
        <ul className="files-server">
          {records?.map((record) => (
            <li key={record.id} className="files-record">
              <button
                type="button"
                className="files-item"
                onClick={() => {
                  closeDialog();
                  void documents.recover(record);
                }}>
                <Glyph name="file" />
                <span>
                  {titleOf(record)}{' '}
                  <span className="hint">
                    {record.origin?.path ?? record.save.name}
                    {record.at > 0 ? `, ${new Date(record.at).toLocaleString()}` : ''}
                  </span>
                </span>
              </button>
              <button
                type="button"
                className="button quiet"
                aria-label={`Delete ${titleOf(record)}`}
                onClick={() => void forget(record.id).then(documents.recoverable).then(setRecords)}>
                Delete
              </button>
            </li>
          ))}
        </ul>
        {records?.length === 0 ? <p className="hint">There is nothing to recover.</p> : null}
      </div>
    </Dialog>
  );
}

// Files that are dragged over the studio, anywhere.
function Drop() {
  const { element, documents } = useStudio();
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (): void => {
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const move = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      depth = 0;
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      void documents.openFiles(event.dataTransfer?.files ?? []);
    };
    element.addEventListener('dragenter', enter);
    element.addEventListener('dragleave', leave);
    element.addEventListener('dragover', move);
    element.addEventListener('drop', drop);
    return () => {
      element.removeEventListener('dragenter', enter);
      element.removeEventListener('dragleave', leave);
      element.removeEventListener('dragover', move);
      element.removeEventListener('drop', drop);
    };
  }, [element, documents]);
  if (!over) return null;
  return createPortal(
    <div className="files-drop" role="presentation">
      <span>
        <Glyph name="open" />
        Drop .tenon files to open them
      </span>
    </div>,
    element,
  );
}

export default function Files() {
  const { documents, state } = useDocuments();
  const dialog = useStore(state, (f) => f.dialog);
  const embed = usePage((p) => p.embed);
  useEffect(() => void documents.listServer(), [documents]);
  if (embed) return null;
  return (
    <>
      <Menu />
      <Drop />
      {dialog === 'share' || dialog === 'embed' ? <ShareDialog key={dialog} embed={dialog === 'embed'} /> : null}
      {dialog === 'server' ? <ServerDialog /> : null}
      {dialog === 'save-as' ? <SaveAsDialog /> : null}
      {dialog === 'conflict' ? <ConflictDialog /> : null}
      {dialog === 'includes' ? <IncludesDialog /> : null}
      {dialog === 'discard' ? <DiscardDialog /> : null}
      {dialog === 'recover' ? <RecoverDialog /> : null}
    </>
  );
}
