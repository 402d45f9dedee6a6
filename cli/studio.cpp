// `tenon studio`: serves the studio's page, and the scenes of a folder, to a browser.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>

#include "commands.h"
#include "http_server.h"
#include "report.h"
#include "studio_files.h"
#include "studio_site.h"
#include "terminal.h"

namespace tenon::cli {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr int kUsualPort = 7450;

struct StudioOptions {
  std::string what;  // a scene, a folder, or nothing
  std::string host = kLoopback;
  int port = kUsualPort;
  bool noOpen = false, json = false;
};

struct Opened {
  std::optional<SceneFolder> folder;
  std::string file;  // within the folder; "": none
  std::optional<Problem> problem;
};

Opened openWhat(const std::string& what) {
  namespace fs = std::filesystem;
  Opened opened;
  if (what.empty()) return opened;
  std::error_code code;
  const fs::path real = fs::canonical(what, code);
  if (code) {
    const bool missing = code == std::errc::no_such_file_or_directory;
    opened.problem =
        fileProblem(what, missing ? "there is no such file" : "cannot be read: " + code.message(),
                    missing ? "check the name" : "");
    return opened;
  }
  const bool isFolder = fs::is_directory(real, code);
  const fs::path folder = isFolder ? real : real.parent_path();
  if (!isFolder && real.extension() != ".tenon")
    opened.problem =
        fileProblem(what, "is not a scene", "the studio opens .tenon files and folders");
  else if (access(folder.c_str(), R_OK | X_OK) != 0)
    opened.problem = fileProblem(what, std::string("cannot be read: ") + std::strerror(errno), "");
  if (opened.problem) return opened;
  opened.folder.emplace(folder);
  if (isFolder) return opened;
  opened.file = real.filename().string();
  const FileAnswer text = opened.folder->read(opened.file);
  if (text.outcome != FileOutcome::Done)
    opened.problem = fileProblem(what, "cannot be served: " + text.text, "");
  return opened;
}

bool isLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.compare(0, 4, "127.") == 0;
}

std::string addressOf(const std::string& host, int port, const std::string& file) {
  const bool everywhere = host == "0.0.0.0" || host == "::";
  const std::string name = everywhere                            ? kLoopback
                           : host.find(':') != std::string::npos ? "[" + host + "]"
                                                                 : host;
  return "http://" + name + ":" + std::to_string(port) + "/" +
         (file.empty() ? "" : "?file=" + percentEncoded(file));
}

// Leaves the browser to itself; that there is none is no problem, the address is printed.
void openBrowser(const std::string& address) {
  if (getenv("DISPLAY") == nullptr && getenv("WAYLAND_DISPLAY") == nullptr) return;
  posix_spawnattr_t how;
  posix_spawn_file_actions_t files;
  posix_spawnattr_init(&how);
  posix_spawn_file_actions_init(&files);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
  std::string program = "xdg-open", argument = address;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  posix_spawnp(&child, program.c_str(), &files, &how, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
}

// Ctrl-C and SIGTERM as something that can be read, so that no save is cut short.
class Stop {
 public:
  Stop() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &before_);
    descriptor_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~Stop() {
    signalfd_siginfo taken;
    while (read(descriptor_, &taken, sizeof taken) > 0) {
    }
    close(descriptor_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  sigset_t before_ = {};
  int descriptor_ = -1;
};

void warn(const std::string& what) {
  std::cerr << inkOnStderr(Ink::Yellow, "warning:") << " " << what << "\n";
}

int run(const StudioOptions& options) {
  Opened opened = openWhat(options.what);
  if (opened.problem) {
    printFailure({*opened.problem}, options.json);
    return kProblems;
  }
  const Stop stop;
  const Listening listening = listenAt(options.host, options.port);
  if (listening.socket < 0) {
    printFailure({fileProblem("",
                              "cannot listen at " + options.host + ", port " +
                                  std::to_string(options.port) + ": " + listening.failure,
                              "try another --host or --port")},
                 options.json);
    return kProblems;
  }
  const std::string folder = opened.folder ? opened.folder->path().string() : "";
  const std::string address = addressOf(options.host, listening.port, opened.file);
  StudioSite site(options.host, listening.port, std::move(opened.folder));
  if (options.port != 0 && listening.port != options.port)
    warn("port " + std::to_string(options.port) + " is taken, so the studio uses port " +
         std::to_string(listening.port));
  if (!isLoopback(options.host))
    warn("anyone who can reach this machine at " + options.host +
         " can read and change the scenes in this folder");
  if (!site.hasPage())
    warn("this program has no page in it: run ./dev studio, or ./dev build after it");
  if (options.json) {
    const Json line{{"address", address},
                    {"folder", folder.empty() ? Json(nullptr) : Json(folder)},
                    {"port", listening.port}};
    std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  } else {
    std::cout << "Tenon studio: " << address << "\n"
              << (folder.empty() ? "" : "Scenes: " + folder + "\n") << "Press Ctrl-C to end it."
              << std::endl;
  }
  if (!options.noOpen) openBrowser(address);
  HttpServer server(listening.socket, site);
  server.serveUntil(stop.descriptor());
  if (!options.json) std::cout << "\nThe studio has ended." << std::endl;
  return kSuccess;
}

}  // namespace

void makeStudio(CLI::App& command, int& exitCode) {
  auto options = std::make_shared<StudioOptions>();
  const std::string name =
      (command.get_parent() == nullptr ? "" : command.get_parent()->get_name() + " ") +
      command.get_name();
  command.description("Serve the browser studio and the scenes of a folder");
  command.add_option("SCENE", options->what,
                     "A .tenon file, or a folder of such files (default: the examples)");
  command
      .add_option("--port", options->port,
                  "The port to listen at (default 7450, or the next free port; 0: any port)")
      ->type_name("N")
      ->check(CLI::Range(0, 65535).description(""));
  command
      .add_option("--host", options->host,
                  "The address to listen at (default 127.0.0.1, which only this machine reaches)")
      ->type_name("ADDRESS");
  command.add_flag("--no-open", options->noOpen, "Do not open a browser");
  command.add_flag("--json", options->json,
                   "Print the address, folder and port as one line of JSON");
  command.footer(
      "The studio serves only the *.tenon files in the folder and below, and the files that they\n"
      "include. A save replaces a file only if the file has not changed since the page read it.\n"
      "docs/studio.md has the rules.\n\n"
      "Example:\n"
      "  " +
      name + " scenes/figures/marionette.tenon");
  command.callback([options, &exitCode] { exitCode = run(*options); });
}

void addStudio(CLI::App& app, int& exitCode) {
  makeStudio(*app.add_subcommand("studio"), exitCode);
}

}  // namespace tenon::cli
