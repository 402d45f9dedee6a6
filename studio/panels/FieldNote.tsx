// Why a number was not taken, below its field.
import './NumberField.css';

export default function FieldNote({ id, text }: { id: string; text: string | null }) {
  return text === null ? null : (
    <span id={id} className="field-note" role="alert">
      {text}
    </span>
  );
}
