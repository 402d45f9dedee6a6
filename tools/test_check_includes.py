#!/usr/bin/env python3
"""check_includes.py must be able to fail: each case breaks one rule in a small tree of its own."""

import tempfile
import unittest
from pathlib import Path

import check_includes

PAGE = (Path(__file__).parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
LISTED = check_includes.Rules(PAGE).room_of_header  # every case's tree has these, empty


class CheckIncludes(unittest.TestCase):
    def problems(self, files, page=PAGE):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "ARCHITECTURE.md").write_text(page, encoding="utf-8")
            listed = {f"engine/include/tenon/{header}": "" for header in LISTED}
            for name, text in {**listed, **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return check_includes.check(root)[0]

    def accept(self, name, line):
        self.assertEqual(self.problems({name: line + "\n"}), [])

    def reject(self, name, line, why):
        problems = self.problems({name: "\n" + line + "\n"})
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(why, problems[0])
        self.assertTrue(problems[0].startswith(name + ":"), problems[0])

    def test_accepts_what_the_page_allows(self):
        self.accept("engine/joints/pin.cpp", '#include "math/rotation.h"')
        self.accept("engine/joints/pin.cpp", '#include "joints/pin.h"')
        self.accept("engine/joints/pin.cpp", "#include <tenon/scene.h>")
        self.accept("engine/joints/pin.cpp", "#include <Eigen/Core>")
        self.accept("engine/files/read.cpp", "#include <fstream>")
        self.accept("engine/include/tenon/scene.h", "#include <tenon/math.h>")
        self.accept("engine/include/tenon/tenon.h", "#include <tenon/language.h>")
        self.accept("cli/main.cpp", "#include <tenon/measure.h>")
        self.accept("cli/main.cpp", "#include <iostream>")

    def test_a_lower_room_may_not_include_a_higher_one(self):
        self.reject("engine/math/a.h", '#include "model/state.h"', "math may not include")
        self.reject("engine/joints/a.cpp", '#include "compile/order.h"', "joints may not include")
        self.reject("engine/files/a.cpp", '#include "loads/gravity.h"', "files may not include")
        self.reject("engine/math/a.cpp", "  #  include <tenon/scene.h>", "belongs to model")

    def test_rooms_beside_each_other_are_separate(self):
        self.reject("engine/loads/a.cpp", '#include "joints/rows.h"', "loads may not include")
        self.reject("engine/measure/a.cpp", '#include "methods/step.h"', "measure may not include")

    def test_outsiders_see_public_headers_only(self):
        self.reject("cli/main.cpp", '#include "model/scene.h"', "only <tenon/...>")
        self.reject("wasm/binding.cpp", '#include "math/rotation.h"', "only <tenon/...>")
        self.reject("examples/drag.cpp", '#include "math/rotation.h"', "only <tenon/...>")

    def test_public_headers_show_nothing_private(self):
        self.reject("engine/include/tenon/scene.h", '#include "math/a.h"', "public header")
        self.reject("engine/include/tenon/scene.h", "#include <Eigen/Core>", "third-party")
        self.reject("engine/include/tenon/scene.h", "#include <tenon/compile.h>", "belongs to compile")
        self.reject("engine/include/tenon/surprise.h", "", "no room")

    def test_disk_and_printing_have_their_places(self):
        self.reject("engine/model/a.cpp", "#include <fstream>", "files")
        self.reject("engine/compile/a.cpp", "#include <filesystem>", "files")
        self.reject("engine/files/a.cpp", "#include <iostream>", "cli only")
        self.reject("engine/math/a.cpp", 'std::printf("x");', "cli examples only")
        self.reject("engine/files/a.cpp", "fputs(text, stderr);", "cli only")
        self.reject("engine/model/a.cpp", 'fopen("x", "r");', "cli files only")
        self.accept("engine/math/a.cpp", 'std::snprintf(text, 9, "printf");  // not printf')
        self.accept("cli/a.cpp", "std::fputs(text, stderr);")
        self.reject("engine/joints/a.cpp", "#include <nlohmann/json.hpp>", "only")

    def test_headers_are_named_by_their_room(self):
        self.reject("engine/joints/a.cpp", '#include "pin.h"', "say the room")
        self.reject("engine/joints/a.cpp", '#include "../math/a.h"', "climbing")
        self.reject("engine/joints/a.cpp", '#include "attic/a.h"', "no room attic")
        self.reject("engine/joints/a.cpp", "#include <math/a.h>", "quotes")
        self.reject("engine/attic/a.cpp", "", "no room")

    def test_the_page_itself_is_checked(self):
        for page in (PAGE.replace("```include-rules", "```"), PAGE.replace("model   -> math", "model = math"),
                     PAGE.replace("joints  -> math model", "joints  -> math attic")):
            with self.assertRaises(check_includes.RulesError):
                self.problems({}, page)

    def test_rooms_of_the_studio_are_separate(self):
        self.accept("studio/panels/A.tsx", "import { run } from '../engine/client';")
        self.accept("studio/panels/A.tsx", "import './A.css';")
        self.accept("studio/App.tsx", "const View = lazy(() => import('./viewport/View'));")
        self.accept("studio/viewport/view.ts", "import { Vector3 } from 'three';")
        self.accept("studio/tests/a.test.ts", "import { get } from '../tools/index';")
        self.accept("studio/store/a.test.ts", "import { get } from '../tools/index';")
        self.reject("studio/store/a.ts", "import { run } from '../engine/client';", "store may not import")
        self.reject("studio/store/a.ts", "import type { Answer } from '../engine/client';", "store may not import")
        self.reject("studio/store/a.ts", "export { Answer } from '../engine/client';", "store may not import")
        self.reject("studio/panels/A.tsx", "import { View } from '../viewport/view';", "panels may not import")
        self.reject("studio/panels/A.tsx", "const V = lazy(() => import('../viewport/View'));", "panels may not import")
        self.reject("studio/viewport/view.ts", "import '../tools/tools.css';", "viewport may not import")
        self.reject("studio/engine/a.ts", "import App from '../App';", "engine may not import")
        self.reject("studio/panels/A.tsx", "new Worker_(new URL('../tools/w.ts', import.meta.url));", "panels may not import")
        self.reject("studio/App.tsx", "import { x } from '../tests/x';", "not in the studio")
        self.reject("studio/attic/a.ts", "", "no room")

    def test_packages_and_words_of_the_studio_have_their_places(self):
        self.reject("studio/store/a.ts", "import { Vector3 } from 'three';", "tools viewport only")
        self.reject("studio/tools/a.ts", "import { useState } from 'react';", "only")
        self.reject("studio/engine/a.ts", "import x from '@codemirror/view';", "panels only")
        self.reject("studio/engine/a.ts", "import x from 'left-pad';", "list the package")
        self.reject("studio/store/a.ts", "const theme = document.body.dataset.theme;", "document is for")
        self.reject("studio/panels/A.tsx", "const made = await WebAssembly.compile(bytes);", "engine only")
        self.reject("studio/tools/a.ts", "const worker = new Worker(address);", "engine only")
        self.accept("studio/store/a.ts", "// the document.title of a window.\nconst a = 'window.name'; origin.document.at();")
        self.accept("studio/engine/a.ts", "// import x from '../tools/x';")

    def test_listed_public_headers_exist(self):
        page = PAGE.replace("```public-headers\n", "```public-headers\nmissing.h   model\n")
        self.assertEqual(self.problems({}, page),
                         ["ARCHITECTURE.md: the public header missing.h does not exist"])
        self.assertEqual(self.problems({}), [])

    def test_cmake_links_what_the_page_allows(self):
        problems = self.problems({"CMakeLists.txt": "tenon_room(math model)\n"})
        self.assertIn("CMakeLists.txt: tenon_room(math) differs from ARCHITECTURE.md", problems)


if __name__ == "__main__":
    unittest.main()
