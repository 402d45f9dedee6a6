// All keys on one sheet.
import { commands, keyCaps, type CommandGroup } from './commands';
import Dialog from './Dialog';
import { usePage, useStudio } from './use';
import './Keys.css';

const groups: CommandGroup[] = ['Motion', 'Hold', 'Edit', 'View', 'Panels', 'File', 'Help'];
// What hands do in the view, which no command stands for.
const hands: [string, string][] = [
  ['Drag a solid', 'Take hold of it and pull'],
  ['Shift + click a solid', 'Pin it at that point'],
  ['Ctrl + click', 'Select several'],
  ['Drag the background', 'Turn the view'],
  ['Right drag, Shift + drag', 'Move the view'],
  ['Wheel, pinch', 'Zoom in and out'],
  ['Right click, long press', 'Open the menu of a solid or joint'],
  ['Drag the name of a number', 'Change the number'],
];

export default function Keys() {
  const { set } = useStudio();
  const open = usePage((p) => p.keys);
  if (!open) return null;
  return (
    <Dialog title="Keys" className="keys" onClose={() => set({ keys: false })}>
      <div className="dialog-body keys-body" tabIndex={0} role="group" aria-label="All keys">
        {groups.map((group) => {
          const list = commands.filter((c) => c.group === group && c.keys.length > 0);
          return list.length === 0 ? null : (
            <section key={group}>
              <h3>{group}</h3>
              <dl>
                {list.map((c) => (
                  <div key={c.id}>
                    <dt>{c.title}</dt>
                    <dd>
                      {c.keys.map((key, i) => (
                        <span key={key}>
                          {i > 0 ? <span className="dim"> or </span> : null}
                          {keyCaps(key).map((cap) => (
                            <kbd key={cap}>{cap}</kbd>
                          ))}
                        </span>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
        <section>
          <h3>By hand</h3>
          <dl>
            {hands.map(([how, what]) => (
              <div key={how}>
                <dt>{what}</dt>
                <dd className="dim">{how}</dd>
              </div>
            ))}
          </dl>
        </section>
        <p className="keys-foot">
          <a href="licences.txt" target="_blank" rel="noreferrer">
            Licences of the libraries in this page
          </a>
        </p>
      </div>
    </Dialog>
  );
}
