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
