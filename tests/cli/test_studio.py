#!/usr/bin/env python3
"""`tenon studio`, and `tenon-studio`, which is that command alone: whom they serve what, what they refuse, and that no save
is lost."""

import base64
import contextlib
import gzip
import hashlib
import html
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.parse

from test_tenon import FOUR_BAR, PENDULUM, ROOT, TENON, Case

MIB = 1 << 20
ALONE = os.environ.get("TENON_STUDIO", os.path.join(os.path.dirname(TENON), "tenon-studio"))


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def etag(self):
        return self.headers["ETag"]


class Server:
    """The program, running; it is told to end when the test does."""

    def __init__(self, case, *arguments, env=None):
        self.process = subprocess.Popen(
            [*case.command, *arguments, "--no-open", "--json"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, encoding="utf-8", env={**os.environ, **(env or {})})
        case.addCleanup(self.end)
        line = self.process.stdout.readline()
        case.assertTrue(line, "it says nothing")
        self.said = json.loads(line)
        self.port = self.said["port"]
        self.host = f"127.0.0.1:{self.port}"

    def end(self, by=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(by)
        try:
            code = self.process.wait(200)
        finally:
            self.process.kill()
        self.process.stdout.close()
        if not self.process.stderr.closed:
            self.errors = self.process.stderr.read()
            self.process.stderr.close()
        return code

    def ask(self, method, target, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=200)
        with contextlib.closing(connection):
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            headers = {"Host": self.host, **(headers or {})}
            if body is not None:
                headers.setdefault("Content-Length", str(len(body)))
            for name, value in headers.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders()
            if body:
                connection.send(body)
            return Answer(connection.getresponse())

    def get(self, target, **headers):
        return self.ask("GET", target, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def put(self, path, text, **headers):
        return self.ask("PUT", "/api/files/" + path, text.encode(),
                        {k.replace("_", "-"): v for k, v in headers.items()})

    def raw(self, data, wait=200):
        """What comes back for these bytes, until the server closes or says no more for a while."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as connection:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(data)
            received = b""
            with contextlib.suppress(ConnectionResetError, TimeoutError, socket.timeout):
                while piece := connection.recv(1 << 16):
                    received += piece
            return received

    def status_of(self, data):
        received = self.raw(data)
        return int(received.split()[1]) if received else None

    def head(self, target="/api/files", method="GET", more=""):
        return f"{method} {target} HTTP/1.1\r\nHost: {self.host}\r\n{more}Connection: close\r\n\r\n".encode()


class StudioCase(Case):
    command = (TENON, "studio")

    def setUp(self):
        super().setUp()
        self.scenes = self.folder / "scenes"
        (self.scenes / "sub").mkdir(parents=True)
        (self.scenes / "a.tenon").write_text(PENDULUM)
        (self.scenes / "sub/b.tenon").write_text("title \"b\";\n")
        (self.scenes / "secret.txt").write_text("secret")
        (self.scenes / ".hidden.tenon").write_text("secret")
        (self.scenes / ".git").mkdir()
        (self.scenes / ".git/c.tenon").write_text("secret")
        (self.folder / "outside.tenon").write_text("secret")

    def serve(self, *arguments, **options):
        return Server(self, *(arguments or (str(self.scenes),)), "--port", "0", **options)

    def name(self):
        """As people call it."""
        return " ".join((os.path.basename(self.command[0]), *self.command[1:]))

    def refuses(self, code, *arguments):
        result = subprocess.run([*self.command, *arguments], capture_output=True, text=True, encoding="utf-8", timeout=600)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stdout}{result.stderr}")
        return result


class Start(StudioCase):
    def test_a_scene_is_opened_in_its_folder(self):
        (self.scenes / "ein Bär.tenon").write_text(PENDULUM)
        server = self.serve(str(self.scenes / "ein Bär.tenon"))
        self.assertEqual(set(server.said), {"address", "folder", "port"})
        self.assertEqual(server.said["folder"], str(self.scenes.resolve()))
        address = urllib.parse.urlsplit(server.said["address"])
        self.assertEqual(address.netloc, server.host)
        self.assertEqual(urllib.parse.parse_qs(address.query), {"file": ["ein Bär.tenon"]})
        self.assertEqual(server.get("/api/files/ein%20B%C3%A4r.tenon").body.decode(), PENDULUM)

    def test_without_a_folder_there_are_no_files(self):
        server = self.serve("--host", "127.0.0.1")
        self.assertIsNone(server.said["folder"])
        self.assertEqual(server.get("/api/files").json, {"folder": None, "files": [], "complete": True})
        self.assertEqual(server.get("/api/files/a.tenon").status, 404)
        self.assertEqual(server.put("a.tenon", "x").status, 404)

    def test_what_cannot_be_opened_is_said(self):
        for what, words in ((str(self.folder / "nowhere.tenon"), "there is no such file; check the name"),
                            (str(self.scenes / "secret.txt"), "is not a scene"),
                            (str(self.scenes / ".hidden.tenon"), "cannot be served")):
            result = self.refuses(1, what, "--no-open")
            self.assertIn(f"{what}: error: {words}", result.stderr)
            report = json.loads(self.refuses(1, what, "--no-open", "--json").stdout)
            self.assertEqual((report["ok"], len(report["problems"])), (False, 1))
        self.assertIn("cannot listen at 192.0.2.1",
                      self.refuses(1, "--no-open", "--host", "192.0.2.1").stderr)
        for arguments in (["--port", "65536"], ["--port", "-1"], ["--port", "x"], ["a", "b"]):
            self.assertIn(f"try: {self.name()} --help", self.refuses(2, *arguments).stderr)

    def test_a_taken_port_is_left_to_whoever_has_it(self):
        first = self.serve()
        second = Server(self, str(self.scenes), "--port", str(first.port))
        self.assertNotEqual(first.port, second.port)
        self.assertEqual(second.get("/api/files").status, 200)
        self.assertEqual(first.get("/api/files").status, 200)
        self.assertEqual(second.end(), 0)
        self.assertIn(f"port {first.port} is taken, so the studio uses port {second.port}", second.errors)

    def test_ctrl_c_and_sigterm_end_it_well(self):
        for by in (signal.SIGINT, signal.SIGTERM):
            server = self.serve()
            idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(5)]
            self.assertEqual(server.get("/api/files").status, 200)
            self.assertEqual(server.end(by), 0)
            for connection in idle:
                connection.close()
            with self.assertRaises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", server.port))

    def test_for_people(self):
        process = subprocess.Popen([*self.command, FOUR_BAR, "--port", "0", "--no-open"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        line = process.stdout.readline()
        rest = process.stdout.readline() + process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=200)
        self.assertRegex(line, r"^Tenon studio: http://127\.0\.0\.1:\d+/\?file=four-bar\.tenon\n$")
        self.assertIn("Press Ctrl-C to end it.", rest)
        self.assertNotIn("reaches", errors)
        self.assertEqual(process.returncode, 0)

    def test_other_machines_only_if_asked_for_and_with_a_warning(self):
        server = self.serve(str(self.scenes), "--host", "0.0.0.0")
        for host, status in ((f"192.0.2.7:{server.port}", 200), (f"[2001:db8::1]:{server.port}", 200),
                             (f"evil.example:{server.port}", 421), (server.host, 200)):
            self.assertEqual(server.get("/api/files", Host=host).status, status, host)
        server.end()
        self.assertIn("anyone who can reach this machine at 0.0.0.0 can read and change", server.errors)


# Of what the page itself is.
NOT_BUILT = "the page is not built; ./dev test runs this again when it is"


class Page(StudioCase):
    def test_the_page_or_how_to_get_it(self):
        server = self.serve()
        start = server.get("/?file=a.tenon")
        if start.status == 503:
            self.assertEqual(start.body, b"this program has no page in it: run ./dev studio, or ./dev build after it\n")
            self.assertEqual(server.get("/index.html").status, 404)
            self.skipTest(NOT_BUILT)
        self.assertEqual(start.status, 200)
        self.assertTrue(start.headers["Content-Type"].startswith("text/html"))
        self.assertEqual(server.get("/index.html").body, start.body)
        for script in re.findall(rb"<script>(.*?)</script>", start.body, re.S):
            digest = base64.b64encode(hashlib.sha256(script).digest()).decode()
            self.assertIn(f" 'sha256-{digest}'", start.headers["Content-Security-Policy"])
        self.assertEqual(server.get("/", If_None_Match=start.etag).status, 304)
        self.assertEqual(server.get("/", If_None_Match='W/' + start.etag).status, 304)
        head = server.ask("HEAD", "/")
        self.assertEqual((head.status, head.body, head.headers["Content-Length"]),
                         (200, b"", str(len(start.body))))
        wasm = server.get("/tenon.wasm")
        self.assertEqual((wasm.status, wasm.headers["Content-Type"]), (200, "application/wasm"))
        self.assertEqual(wasm.body[:4], b"\0asm")

    def test_the_smallest_form_that_the_browser_takes(self):
        server = self.serve()
        if server.get("/").status == 503:
            self.skipTest(NOT_BUILT)
        for path in ("/", "/tenon.wasm", "/tenon.js"):
            plain = server.get(path)
            self.assertIsNone(plain.headers["Content-Encoding"])
            self.assertEqual(plain.headers["Vary"], "Accept-Encoding")
            tags, sizes = {plain.etag}, [len(plain.body)]
            for coding, unpacked in (("gzip", gzip.decompress), ("br", self.without_brotli)):
                packed = server.get(path, Accept_Encoding=coding)
                self.assertEqual(packed.headers["Content-Encoding"], coding)
                self.assertEqual(packed.headers["Vary"], "Accept-Encoding")
                self.assertEqual(packed.headers["Content-Type"], plain.headers["Content-Type"])
                self.assertEqual(packed.headers["Content-Length"], str(len(packed.body)))
                self.assertTrue(unpacked(packed.body) == plain.body, f"{path} by {coding}")
                self.assertEqual(server.get(path, Accept_Encoding=coding, If_None_Match=packed.etag).status, 304)
                tags.add(packed.etag)
                sizes.append(len(packed.body))
            self.assertEqual(len(tags), 3)
            self.assertEqual(sizes, sorted(sizes, reverse=True))
            for accepted, coding in (("gzip, deflate, br, zstd", "br"), ("gzip;q=1.0, br;q=0.1", "br"),
                                     ("br;q=0, gzip", "gzip"), ("deflate", None), ("gzip;q=0", None),
                                     ("gzip;q=0, br;q=0.0", None), ("", None), ("brotli, xgzip", None)):
                self.assertEqual(server.get(path, Accept_Encoding=accepted).headers["Content-Encoding"], coding, accepted)

    @staticmethod
    def without_brotli(packed):
        """What was packed; by Node, which has built the page: Python has no Brotli of its own."""
        script = "process.stdout.write(require('zlib').brotliDecompressSync(require('fs').readFileSync(0)))"
        return subprocess.run(["node", "-e", script], input=packed, capture_output=True, check=True).stdout

    def test_every_answer_has_the_headers_that_protect_it(self):
        server = self.serve()
        answers = [server.get(target) for target in ("/", "/nothing", "/api/files", "/api/files/a.tenon",
                                                     "/api/files/../x.tenon", "/%zz")]
        answers += [server.get("/", Host="evil.example"), server.ask("POST", "/"),
                    server.get("/api/files", Origin="http://evil.example"), server.put("a.tenon", "x")]
        raw = server.raw(b"nonsense\r\n\r\n").decode()
        for answer in answers:
            for name, value in (("Cross-Origin-Opener-Policy", "same-origin"),
                                ("Cross-Origin-Embedder-Policy", "require-corp"),
                                ("Cross-Origin-Resource-Policy", "same-origin"),
                                ("X-Content-Type-Options", "nosniff"),
                                ("Referrer-Policy", "same-origin")):
                self.assertEqual(answer.headers.get_all(name), [value])
                self.assertIn(f"{name}: {value}\r\n", raw)
            policy = answer.headers["Content-Security-Policy"]
            for part in ("default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'",
                         "base-uri 'none'", "frame-ancestors 'self'"):
                self.assertIn(part, policy)
            self.assertNotIn("'unsafe-eval'", policy)
            self.assertIsNone(answer.headers["Access-Control-Allow-Origin"])

    def test_the_page_says_what_the_header_says(self):
        """Wherever it is hosted. Only a header can say who may frame it."""
        server = self.serve()
        start = server.get("/")
        header = start.headers["Content-Security-Policy"]
        self.assertTrue(header.endswith("; frame-ancestors 'self'"))
        config = (ROOT / "studio/vite.config.ts").read_text(encoding="utf-8")
        said = re.search(r"`(default-src [^`]*)`", config).group(1)
        without_hashes = re.sub(r" 'sha256-[^']*'", "", header)
        self.assertEqual(said.replace("${scripts}", "") + "; frame-ancestors 'self'", without_hashes)
        if start.status == 503:
            self.skipTest(NOT_BUILT)
        page = start.body.decode()
        meta = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"', page)
        self.assertEqual(html.unescape(meta.group(1)) + "; frame-ancestors 'self'", header)
        self.assertLess(meta.start(), page.index("<script"))

    def test_only_the_bare_view_may_be_framed_by_other_pages(self):
        server = self.serve()
        if server.get("/").status == 503:
            self.skipTest(NOT_BUILT)
        plain = server.get("/").headers["Content-Security-Policy"]
        self.assertTrue(plain.endswith("; frame-ancestors 'self'"))
        bare = plain[:-len("'self'")] + "*"
        for target in ("/?embed", "/?embed=1", "/index.html?embed", "/?scene=a/b&embed", "/?embed&file=a.tenon"):
            answer = server.get(target)
            self.assertEqual(answer.headers.get_all("Content-Security-Policy"), [bare], target)
            tag = answer.headers["ETag"]
            again = server.get(target, **{"If-None-Match": tag})
            self.assertEqual((again.status, again.headers.get_all("Content-Security-Policy")), (304, [bare]))
        script = re.search(rb'src="[./]*(assets/[^"]*[.]js)"', server.get("/").body).group(1).decode()
        for target in ("/", "/?scene=embed", "/?embedded", "/?Embed", "/?%65mbed", "/?x=embed", "/?embed%20", "/?a?embed",
                       "/api/files?embed", "/api/files/a.tenon?embed", "/nothing?embed", f"/{script}?embed"):
            self.assertEqual(server.get(target).headers.get_all("Content-Security-Policy"), [plain], target)

    def test_what_the_page_is_not_made_of_is_not_there(self):
        server = self.serve()
        for target in ("/a.tenon", "/scenes/a.tenon", "/etc/passwd", "//etc/passwd", "/..", "/../outside.tenon",
                       "/%2e%2e/outside.tenon", "/assets/../../outside.tenon", "/index.html/", "/index.html%00"):
            self.assertIn(server.get(target).status, (400, 404), target)


class StartAlone(Start):
    command = (ALONE,)

    def test_help_names_the_program(self):
        result = self.refuses(0, "--help")
        self.assertIn("Usage: tenon-studio [OPTIONS] [SCENE]", result.stdout)
        self.assertIn("  tenon-studio scenes/figures/marionette.tenon", result.stdout)

    def test_it_links_nothing_of_the_engine(self):
        """No room, and none of the libraries that rooms use: it is there long before they are."""
        libraries = subprocess.run(["ldd", ALONE], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("tbb", libraries)
        with open(ALONE, "rb") as program:
            symbols = program.read()
        for name in (b"tenon7compile", b"parseScene", b"Mechanism", b"TenonEigen"):
            self.assertFalse(name in symbols, name)
            with open(TENON, "rb") as whole:
                self.assertTrue(name in whole.read(), name)


class PageAlone(Page):
    command = (ALONE,)


class Listing(StudioCase):
    def test_scenes_of_the_folder_and_below(self):
        (self.scenes / "linked.tenon").symlink_to("a.tenon")
        (self.scenes / "sub/round-about.tenon").symlink_to("../../scenes/./sub/../linked.tenon")
        (self.scenes / "whole.tenon").symlink_to(self.scenes.resolve() / "sub/b.tenon")
        (self.scenes / "itself.tenon").symlink_to("itself.tenon")
        (self.scenes / "too-far.tenon").symlink_to(self.folder.resolve())
        (self.scenes / "leaving.tenon").symlink_to(self.folder / "outside.tenon")
        (self.scenes / "to-hidden.tenon").symlink_to(".hidden.tenon")
        (self.scenes / "to-text.tenon").symlink_to("secret.txt")
        (self.scenes / "broken.tenon").symlink_to("nowhere")
        (self.scenes / "round").symlink_to(".")
        (self.scenes / "folder.tenon").mkdir()
        os.mkfifo(self.scenes / "pipe.tenon")
        (self.scenes / os.fsdecode(b"no-utf8-\xff.tenon")).write_text("x")
        server = self.serve()
        listing = server.get("/api/files").json
        self.assertEqual((listing["folder"], listing["complete"]), ("scenes", True))
        self.assertEqual([file["path"] for file in listing["files"]],
                         ["a.tenon", "linked.tenon", "sub/b.tenon", "sub/round-about.tenon", "whole.tenon"])
        self.assertEqual(server.get("/api/files/sub/round-about.tenon").body.decode(), PENDULUM)
        self.assertEqual(server.get("/api/files/round/sub/round-about.tenon").body.decode(), PENDULUM)
        self.assertEqual(server.get("/api/files/whole.tenon").body, b'title "b";\n')
        for path, status in (("itself", 404), ("too-far", 403), ("broken", 404), ("leaving", 403), ("to-hidden", 403)):
            self.assertEqual(server.get(f"/api/files/{path}.tenon").status, status, path)
        self.assertEqual(listing["files"][0]["size"], len(PENDULUM))
        self.assertAlmostEqual(listing["files"][0]["modified"], time.time(), delta=600)

    def test_it_is_limited(self):
        deep = self.scenes.joinpath(*"0123456789")
        deep.mkdir(parents=True)
        (deep / "deep.tenon").write_text("")
        server = self.serve()
        listing = server.get("/api/files").json
        self.assertEqual((len(listing["files"]), listing["complete"]), (2, False))
        for i in range(2100):
            (self.scenes / f"many-{i}.tenon").touch()
        listing = server.get("/api/files").json
        self.assertEqual((len(listing["files"]), listing["complete"]), (2000, False))


class Reading(StudioCase):
    def test_a_scene_with_its_tag(self):
        server = self.serve()
        answer = server.get("/api/files/a.tenon")
        self.assertEqual((answer.status, answer.body.decode()), (200, PENDULUM))
        self.assertEqual(answer.headers["Content-Type"], "text/plain; charset=utf-8")
        self.assertRegex(answer.etag, r'^"[0-9a-f-]+"$')
        self.assertEqual(server.get("/api/files/a.tenon", If_None_Match=answer.etag).status, 304)
        self.assertEqual(server.get("/api/files/a.tenon", If_None_Match='"x"').status, 200)
        for same in ("/api/files/sub/b.tenon", "/api/files/sub%2Fb.tenon", "/api/files/sub/%62.tenon?x=1"):
            self.assertEqual(server.get(same).body, b'title "b";\n')
        self.assertEqual(server.get("/api/files/nowhere.tenon").status, 404)
        head = server.ask("HEAD", "/api/files/a.tenon")
        self.assertEqual((head.body, head.etag), (b"", answer.etag))
        self.assertEqual(head.headers["Content-Length"], str(len(PENDULUM)))

    def test_nothing_outside_the_folder_by_any_spelling(self):
        (self.scenes / "leaving.tenon").symlink_to(self.folder / "outside.tenon")
        (self.scenes / "up").symlink_to(self.folder)
        (self.scenes / "to-hidden.tenon").symlink_to(".hidden.tenon")
        server = self.serve()
        ups = ["..", "%2e%2e", "%2E.", ".%2e", "%252e%252e", "..%00", "%c0%ae%c0%ae", "%u002e%u002e",
               "..%5c", "..\\", "...", ".", "sub/..", "sub/../..", "a.tenon/..", "up", ""]
        slashes = ["/", "%2f", "%2F", "%252f", "\\", "%5c", "//", "/./", "%c0%af"]
        targets = [f"/api/files/{up}{slash}outside.tenon" for up in ups for slash in slashes]
        targets += ["/api/files/" + str(self.folder / "outside.tenon"),
                    "/api/files/%2f" + str(self.folder / "outside.tenon")[1:],
                    "/api/files//etc/passwd", "/api/files/file:///etc/passwd", "/api/files/~/x.tenon",
                    "/api/files/leaving.tenon", "/api/files/to-hidden.tenon", "/api/../api/files/a.tenon",
                    "/api/files/../../outside.tenon", "/api/files/sub/../../outside.tenon",
                    "/api/files/a.tenon%00", "/api/files/a.tenon%00.tenon", "/api/files/%ff.tenon",
                    "/api/files/a.tenon/", "/api/files/sub", "/api/files/sub/", "/api/files/a.tenon%0a",
                    "/api/files/C:%5ca.tenon", "/%61pi/files/a.tenon", "/api%2ffiles/a.tenon", "/api/%",
                    "/api/files/%", "/api/files/%4", "/api/files/%zz.tenon"]
        for target in targets:
            for method in ("GET", "HEAD", "PUT"):
                status = server.status_of(server.head(target, method, "Content-Length: 0\r\n"))
                allowed = (400, 403, 404, 405) + ((409, 428) if method == "PUT" else ())
                if "%25" in target:  # decoded once, it is an odd name, but a name within the folder
                    allowed += (200, 201)
                self.assertIn(status, allowed, (method, target))
            self.assertNotIn(b"secret", server.raw(server.head(target)), target)
        self.assertEqual((self.folder / "outside.tenon").read_text(), "secret")
        self.assertEqual(sorted(os.listdir(self.folder)), ["outside.tenon", "scenes"])
        self.assertEqual(server.get("/api/files/a.tenon").body.decode(), PENDULUM)

    def test_hidden_files_and_what_is_no_scene(self):
        os.mkfifo(self.scenes / "pipe.tenon")
        server = self.serve()
        for path in (".hidden.tenon", "%2ehidden.tenon", ".git/c.tenon", "sub/.x.tenon", "secret.txt",
                     "SECRET.TXT", ".tenon", "pipe.tenon"):
            for answer in (server.get("/api/files/" + path), server.put(path, "x", If_Match="*")):
                self.assertIn(answer.status, (403, 404, 412), path)
                self.assertNotIn(b"secret", answer.body)
        self.assertEqual((self.scenes / ".hidden.tenon").read_text(), "secret")

    def test_what_a_scene_includes(self):
        (self.scenes / "sub/parts.txt").write_text("parts")
        (self.scenes / "sub/b.tenon").write_text('include "parts.txt";\ntitle "secret.txt";\n')
        server = self.serve()
        self.assertEqual(server.get("/api/files/sub/parts.txt").body, b"parts")
        self.assertEqual(server.get("/api/files/secret.txt").status, 403)
        self.assertEqual(server.put("sub/parts.txt", "x", If_Match="*").status, 403)

    def test_too_large_a_file(self):
        with open(self.scenes / "large.tenon", "wb") as file:
            file.truncate(16 * MIB + 1)
        self.assertEqual(self.serve().get("/api/files/large.tenon").status, 413)


class Saving(StudioCase):
    def test_the_flow_of_tags(self):
        server = self.serve()
        path = self.scenes / "a.tenon"
        seen = server.get("/api/files/a.tenon").etag
        missing = server.put("a.tenon", "new")
        self.assertEqual((missing.status, missing.etag, missing.json["etag"]), (428, seen, seen))
        self.assertEqual(path.read_text(), PENDULUM)
        saved = server.put("a.tenon", "new", If_Match=seen)
        self.assertEqual((saved.status, saved.json), (200, {"path": "a.tenon", "etag": saved.etag}))
        self.assertEqual(path.read_text(), "new")
        self.assertEqual(server.get("/api/files/a.tenon").etag, saved.etag)
        late = server.put("a.tenon", "late", If_Match=seen)
        self.assertEqual((late.status, late.etag), (412, saved.etag))
        path.write_text("by an editor")
        changed = server.put("a.tenon", "late", If_Match=saved.etag)
        self.assertEqual(changed.status, 412)
        self.assertEqual(changed.etag, server.get("/api/files/a.tenon").etag)
        self.assertEqual(path.read_text(), "by an editor")
        self.assertEqual(server.put("a.tenon", "1", If_Match=f'"x", {changed.etag}').status, 200)
        self.assertEqual(server.put("a.tenon", "2", If_Match="*").status, 200)
        self.assertEqual(server.put("a.tenon", "3", If_Match="nonsense").status, 412)
        self.assertEqual(path.read_text(), "2")
        path.unlink()
        self.assertEqual(server.put("a.tenon", "4", If_Match=changed.etag).status, 412)
        self.assertFalse(path.exists())

    def test_new_files(self):
        server = self.serve()
        created = server.put("sub/new%20one.tenon", "text")
        self.assertEqual(created.status, 201)
        path = self.scenes / "sub/new one.tenon"
        self.assertEqual(path.read_text(), "text")
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(path.stat().st_mode & 0o777, 0o666 & ~mask)
        self.assertEqual(server.put("sub/new%20one.tenon", "x", If_None_Match="*").status, 412)
        self.assertEqual(server.put("sub/new%20one.tenon", "x").status, 428)
        self.assertEqual(server.put("nowhere/new.tenon", "x").status, 409)
        self.assertEqual(server.put("new.txt", "x").status, 403)
        self.assertEqual(server.put("empty.tenon", "").status, 201)
        self.assertEqual(path.read_text(), "text")

    def test_permissions_and_links_stay(self):
        (self.scenes / "linked.tenon").symlink_to("a.tenon")
        (self.scenes / "a.tenon").chmod(0o640)
        server = self.serve()
        seen = server.get("/api/files/linked.tenon").etag
        self.assertEqual(server.put("linked.tenon", "x", If_Match=seen).status, 200)
        self.assertTrue((self.scenes / "linked.tenon").is_symlink())
        self.assertEqual((self.scenes / "a.tenon").read_text(), "x")
        self.assertEqual((self.scenes / "a.tenon").stat().st_mode & 0o777, 0o640)

    def test_of_two_with_the_same_tag_one_wins(self):
        servers = [self.serve(), self.serve()]  # two programs on one folder, too
        for used in ([servers[0]], [servers[1]], servers, servers, servers):
            seen = used[0].get("/api/files/a.tenon").etag
            answers = {}
            text = f"of {time.monotonic()}: {{}}\n"

            def save(i, used=used, seen=seen, answers=answers, text=text):
                server = used[i % len(used)]
                answers[i] = server.put("a.tenon", text.format(i) * 1000, If_Match=seen).status

            threads = [threading.Thread(target=save, args=(i,)) for i in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sorted(answers.values()), [200] + 15 * [412])
            winner = next(i for i, status in answers.items() if status == 200)
            self.assertEqual((self.scenes / "a.tenon").read_text(), text.format(winner) * 1000)

    def test_of_two_programs_one_makes_a_new_file(self):
        servers = [self.serve(), self.serve()]
        for i in range(20):
            statuses = []
            threads = [threading.Thread(target=lambda s=s, i=i: statuses.append(
                s.put(f"new-{i}.tenon", f"of {s.port}").status)) for s in servers]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(statuses.count(201), 1, statuses)
            self.assertIn(min(set(statuses) - {201}), (412, 428))

    def test_readers_meet_the_old_text_or_the_new_one(self):
        server = self.serve()
        texts = [letter * (2 * MIB) for letter in "ab"]
        path = self.scenes / "a.tenon"
        path.write_text(texts[0])
        wrong = []
        done = threading.Event()

        def watch():
            while not done.is_set():
                text = path.read_text()
                if text not in texts:
                    wrong.append(len(text))

        watcher = threading.Thread(target=watch)
        watcher.start()
        seen = server.get("/api/files/a.tenon").etag
        for i in range(12):
            saved = server.put("a.tenon", texts[(i + 1) % 2], If_Match=seen)
            self.assertEqual(saved.status, 200)
            seen = saved.etag
        done.set()
        watcher.join()
        self.assertEqual(wrong, [])
        self.assertEqual([name for name in os.listdir(self.scenes) if name.startswith(".a.tenon")], [])

    def test_what_is_cut_short_changes_nothing(self):
        server = self.serve()
        seen = server.get("/api/files/a.tenon").etag
        head = (f"PUT /api/files/a.tenon HTTP/1.1\r\nHost: {server.host}\r\nIf-Match: {seen}\r\n"
                "Content-Length: 1000\r\n\r\n").encode()
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(head + b"half")
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(head + b"half")
            self.assertEqual(server.get("/api/files/a.tenon").body.decode(), PENDULUM)
            self.assertEqual(server.end(), 0)
        self.assertEqual((self.scenes / "a.tenon").read_text(), PENDULUM)
        self.assertEqual([name for name in os.listdir(self.scenes) if name.startswith(".a.tenon")], [])

    def test_a_folder_that_may_not_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        server = self.serve()
        self.scenes.chmod(0o500)
        self.addCleanup(self.scenes.chmod, 0o700)
        self.assertEqual(server.put("new.tenon", "x").status, 500)


# Exchanges two names over and over, so that a check and a use of one of them meet different things, until it is told to end.
SWAPPER = """
import ctypes, os, select, sys
swap = ctypes.CDLL(None, use_errno=True).renameat2
a, b = (os.fsencode(name) for name in sys.argv[1:])
print(flush=True)
while not select.select([0], [], [], 0)[0]:
    for _ in range(1000):
        if swap(-100, a, -100, b, 2) != 0:
            sys.exit(os.strerror(ctypes.get_errno()))
"""


class Leftovers(StudioCase):
    def test_they_are_removed_at_the_start(self):
        old, young = ".a.tenon.ab12cd.tenon-part", ".b.tenon.ab12cd.tenon-part"
        for folder in (self.scenes, self.scenes / "sub", self.scenes / ".git", self.folder):
            for name in (old, young):
                (folder / name).touch()
            os.utime(folder / old, (time.time() - 3600,) * 2)
        (self.scenes / "link").symlink_to(self.folder)
        self.serve()
        for folder, left in ((self.scenes, False), (self.scenes / "sub", False), (self.scenes / ".git", True),
                             (self.folder, True)):
            self.assertEqual((folder / old).exists(), left, folder)
            self.assertTrue((folder / young).exists())


class Races(StudioCase):
    """What a path leads to changes between any two looks at it. A server that looks at a path first, and uses it then, reads
    and writes what is outside within these rounds, mostly; one that opens, and looks at what it has opened, never does."""

    def setUp(self):
        super().setUp()
        self.away = self.folder / "away"
        self.away.mkdir()
        for name in ("b.tenon", "away.tenon"):
            (self.away / name).write_text("secret")
        self.server = self.serve()

    @contextlib.contextmanager
    def swapping(self, a, b):
        swapper = subprocess.Popen([sys.executable, "-c", SWAPPER, str(a), str(b)],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            swapper.stdout.readline()
            yield
        finally:
            swapper.communicate(b"x", timeout=200)
            self.assertEqual(swapper.returncode, 0)

    def requests(self, method, target, more="", body="", count=500):
        """Many on one connection: all that comes back."""
        request = f"{method} {target} HTTP/1.1\r\nHost: {self.server.host}\r\n{more}\r\n{body}"
        last = request.replace("\r\n", "\r\nConnection: close\r\n", 1)
        return self.server.raw(((count - 1) * request + last).encode())

    def read(self, path):
        """Often, and until it was met as it should be and as a link that leads out."""
        met = set()
        for i in range(200):
            received = self.requests("GET", "/api/files/" + path)
            self.assertNotIn(b"secret", received)
            met |= set(re.findall(rb"HTTP/1.1 (\d+)", received))
            if i >= 40 and {b"200", b"403"} <= met:
                return
        self.fail(f"no race: {met}")

    def save(self, path, link, to):
        """Often. A save may take the place of the link, which is then made again."""
        for i in range(100):
            (self.folder / "new").symlink_to(to)
            os.replace(self.folder / "new", link)
            self.requests("PUT", "/api/files/" + path, "If-Match: *\r\nContent-Length: 5\r\n", "saved", 10)

    def test_of_links_to_files(self):
        link, outside = self.scenes / ".link", self.folder / "outside.tenon"
        link.symlink_to(outside)
        with self.swapping(self.scenes / "a.tenon", link):
            self.read("a.tenon")
            self.save("a.tenon", link, outside)
        self.assertEqual(outside.read_text(), "secret")

    def test_of_links_to_folders(self):
        (self.scenes / ".link").symlink_to(self.away)
        with self.swapping(self.scenes / "sub", self.scenes / ".link"):
            self.read("sub/b.tenon")
            listed = self.requests("GET", "/api/files")
            self.assertNotIn(b"away.tenon", listed)
            for i in range(300):
                self.server.put(f"sub/new-{i}.tenon", "new")
                self.server.put("sub/b.tenon", "saved", If_Match="*")
        self.assertEqual(sorted(os.listdir(self.away)), ["away.tenon", "b.tenon"])
        self.assertEqual((self.away / "b.tenon").read_text(), "secret")


class Strangers(StudioCase):
    def test_only_names_of_this_machine(self):
        server = self.serve()
        for host in (f"localhost:{server.port}", f"127.0.0.1:{server.port}", f"[::1]:{server.port}"):
            self.assertEqual(server.get("/api/files", Host=host).status, 200, host)
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", "localhost",
                     f"127.0.0.1:{server.port + 1}", f"localhost.evil.example:{server.port}",
                     f"127.0.0.1.evil.example:{server.port}", f"evil.example@127.0.0.1:{server.port}", "",
                     f"192.0.2.7:{server.port}", f"127.0.0.1:{server.port}:{server.port}"):
            for target in ("/", "/api/files", "/api/files/a.tenon"):
                answer = server.get(target, Host=host)
                self.assertEqual(answer.status, 421, host)
                self.assertNotIn(b"solid", answer.body)
        self.assertEqual(server.get("/api/files", Host=None).status, 421)
        self.assertEqual(server.status_of(b"GET /api/files HTTP/1.0\r\n\r\n"), 421)
        two = f"GET / HTTP/1.1\r\nHost: {server.host}\r\nHost: evil.example\r\n\r\n".encode()
        self.assertEqual(server.status_of(two), 400)

    def test_only_pages_of_this_server(self):
        server = self.serve()
        seen = server.get("/api/files/a.tenon").etag
        for origin in ("http://evil.example", "null", f"https://{server.host}", "http://127.0.0.1",
                       f"http://127.0.0.1:{server.port + 1}", f"http://localhost:{server.port}", "",
                       f"http://{server.host}.evil.example", f"http://{server.host}/"):
            self.assertEqual(server.get("/api/files", Origin=origin).status, 403, origin)
            self.assertEqual(server.get("/api/files/a.tenon", Origin=origin).status, 403, origin)
            self.assertEqual(server.put("a.tenon", "x", Origin=origin, If_Match=seen).status, 403, origin)
        for site in ("cross-site", "same-site"):
            self.assertEqual(server.get("/api/files/a.tenon", Sec_Fetch_Site=site).status, 403)
        self.assertEqual((self.scenes / "a.tenon").read_text(), PENDULUM)
        ours = f"http://{server.host}"
        self.assertEqual(server.get("/api/files", Origin=ours, Sec_Fetch_Site="same-origin").status, 200)
        self.assertEqual(server.put("a.tenon", "x", Origin=ours, If_Match=seen).status, 200)

    def test_only_three_methods(self):
        server = self.serve()
        for method in ("POST", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"):
            for target in ("/", "/api/files/a.tenon"):
                answer = server.ask(method, target)
                self.assertEqual(answer.status, 405, method)
                self.assertIn("GET", answer.headers["Allow"])
        self.assertEqual(server.ask("PUT", "/index.html", b"x").status, 405)
        self.assertEqual(server.ask("PUT", "/api/files", b"x").status, 405)
        self.assertTrue((self.scenes / "a.tenon").exists())


class Limits(StudioCase):
    def test_too_much_is_refused(self):
        server = self.serve()
        huge = {"Content-Length": str(16 * MIB + 1), "If-Match": "*"}
        self.assertEqual(server.ask("PUT", "/api/files/a.tenon", None, huge).status, 413)
        for length in ("9" * 30, "-1", "+5", "0x10", "5, 5", ""):
            answer = server.ask("PUT", "/api/files/a.tenon", None, {"Content-Length": length})
            self.assertIn(answer.status, (400, 413), length)
        self.assertEqual(server.ask("PUT", "/api/files/a.tenon", None).status, 411)
        self.assertEqual(server.ask("PUT", "/api/files/a.tenon", None,
                                    {"Transfer-Encoding": "chunked"}).status, 501)
        self.assertEqual(server.put("a.tenon", "x", Content_Encoding="gzip", If_Match="*").status, 415)
        self.assertEqual(server.ask("GET", "/", b"body").status, 400)
        self.assertEqual(server.get("/" + "a" * 3000).status, 414)
        self.assertEqual(server.get("/" + "a" * 100000).status, 414)
        self.assertEqual(server.get("/", X_Long="a" * 20000).status, 431)
        many = "".join(f"X-{i}: {i}\r\n" for i in range(150))
        self.assertEqual(server.status_of(server.head(more=many)), 431)
        self.assertEqual(server.status_of(b"a" * 200000), 414)
        self.assertEqual(server.status_of(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200000), 431)
        self.assertEqual((self.scenes / "a.tenon").read_text(), PENDULUM)

    def test_as_much_as_is_allowed_is_taken(self):
        server = self.serve()
        text = "// " + "x" * (16 * MIB - 3)
        answer = server.put("big.tenon", text, Expect="100-continue")
        self.assertEqual(answer.status, 201)
        self.assertEqual(server.get("/api/files/big.tenon").body.decode(), text)

    def test_what_is_no_http(self):
        server = self.serve()
        host = f"Host: {server.host}\r\n"
        for text in ("nonsense\r\n\r\n", "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", f"GET / HTTP/1.1\r\n{host} folded\r\n\r\n",
                     f"GET / HTTP/1.1\r\n{host}Name : x\r\n\r\n", f"GET / HTTP/1.1\r\n{host}: x\r\n\r\n",
                     f"GET / HTTP/1.1\r\n{host}X: a\0b\r\n\r\n", f"GET / HTTP/1.1\n{host}\n\r\n\r\n",
                     f"GET http://evil.example/ HTTP/1.1\r\n{host}\r\n", f"GET * HTTP/1.1\r\n{host}\r\n",
                     f"GET /a b HTTP/1.1\r\n{host}\r\n", f"GET /\u00e4 HTTP/1.1\r\n{host}\r\n",
                     f"GET / HTTP/1.1\r\n{host}X: a\rb\r\n\r\n"):
            self.assertEqual(server.status_of(text.encode()), 400, text)
        self.assertEqual(server.status_of(f"GET / HTTP/2.0\r\n{host}\r\n".encode()), 505)
        self.assertEqual(server.status_of(b"\x16\x03\x01\x02\x00\x01" + os.urandom(600) + b"\r\n\r\n"), 400)

    def test_several_requests_on_one_connection(self):
        server = self.serve()
        request = f"GET /api/files/a.tenon HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode()
        received = server.raw(500 * request + server.head("/api/files/a.tenon"))
        self.assertEqual(received.count(b"HTTP/1.1 200 OK\r\n"), 501)
        self.assertEqual(received.count(PENDULUM.encode()), 501)
        # What follows a refusal whose body was not read is no request.
        refused = (f"PUT /api/files/a.tenon HTTP/1.1\r\nHost: {server.host}\r\nOrigin: null\r\n"
                   f"Content-Length: {len(request)}\r\n\r\n").encode()
        self.assertEqual(server.raw(refused + request).count(b"HTTP/1.1 "), 1)

    def test_who_sends_nothing_keeps_nobody_waiting(self):
        server = self.serve()
        beginnings = [b"", b"GET / HT", b"PUT /api/files/a.tenon HTTP/1.1\r\nHost: " + server.host.encode() +
                      b"\r\nIf-Match: *\r\nContent-Length: 1000\r\n\r\nx"]
        idle = []

        def twenty():
            start = time.monotonic()
            for _ in range(20):
                self.assertEqual(server.get("/api/files/a.tenon").body.decode(), PENDULUM)
            return time.monotonic() - start

        before = twenty()
        for beginning in beginnings:
            for _ in range(150):
                connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
                connection.sendall(beginning)
                idle.append(connection)
            self.assertLess(twenty(), 20 * before + 20)  # a deadline each would be 100 s
        for connection in idle:
            connection.close()
        self.assertEqual((self.scenes / "a.tenon").read_text(), PENDULUM)

    def test_a_request_byte_by_byte_ends(self):
        server = self.serve()
        with socket.create_connection(("127.0.0.1", server.port), timeout=200) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n")
            received = b""
            for _ in range(1000):  # 200 s; it takes 5
                with contextlib.suppress(OSError):
                    connection.sendall(b"x")
                if select.select([connection], [], [], 0.2)[0]:
                    received = connection.recv(1000)
                    break
        self.assertIn(b"HTTP/1.1 408 ", received)

    def test_who_does_not_read_keeps_nobody_waiting(self):
        (self.scenes / "big.tenon").write_text("x" * (15 * MIB))
        server = self.serve()
        connections = []
        for _ in range(3):
            connection = socket.create_connection(("127.0.0.1", server.port))
            connection.sendall(server.head("/api/files/big.tenon"))
            connections.append(connection)
        self.assertEqual(server.get("/api/files/a.tenon").body.decode(), PENDULUM)
        for connection in connections:
            connection.close()
        self.assertEqual(server.get("/api/files/a.tenon").status, 200)


if __name__ == "__main__":
    unittest.main()
