// A small HTTP/1.1 server for the browser of whoever runs the program: one thread, a loop over
// poll(2), and a limit and a deadline for everything that a client may send or leave out. What is
// served is a HttpSite's to say.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::cli {

struct HttpRequest {
  std::string method, target, body;            // target as it was sent: "/a%20b?c"
  std::map<std::string, std::string> headers;  // names in small letters

  [[nodiscard]] bool has(const std::string& name) const { return headers.count(name) > 0; }
  [[nodiscard]] std::string header(const std::string& name) const;  // "" if it is not there
};

struct HttpAnswer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string_view lasting;  // sent in place of an empty body; lives as long as the program
};

class HttpSite {
 public:
  virtual ~HttpSite() = default;
  // Headers of every answer, those of the server's own refusals included.
  [[nodiscard]] virtual const std::vector<std::pair<std::string, std::string>>& everywhere()
      const = 0;
  // Asked before a body is read: what will not be answered costs nothing more.
  [[nodiscard]] virtual std::optional<HttpAnswer> refuse(const HttpRequest& head) = 0;
  [[nodiscard]] virtual HttpAnswer answer(const HttpRequest& request) = 0;
};

struct HttpLimits {
  std::size_t target = 2048;          // [byte] of an address
  std::size_t head = 16u << 10;       // [byte] of the request line and all headers
  std::size_t headers = 100;          // lines
  std::size_t body = 16u << 20;       // [byte]
  std::size_t allBodies = 64u << 20;  // [byte] that are being received at a time
  std::size_t connections = 64;       // the one that waited longest makes room for a new one
  std::chrono::seconds headTime{5};   // from the first moment, or the last answer, to a request
  std::chrono::seconds bodyTime{30};  // for all of a body
  std::chrono::seconds sendTime{20};  // without a byte taken
  std::chrono::seconds closeTime{2};  // for what is still on its way after a refusal
};

// A socket that listens. `port` 0: any free one; if it is taken, the next free one.
struct Listening {
  int socket = -1;
  int port = 0;
  std::string failure;  // why there is none
};
[[nodiscard]] Listening listenAt(const std::string& address, int port);

class HttpServer {
 public:
  HttpServer(int listening, HttpSite& site, HttpLimits limits = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Serves until `stop`, a descriptor, can be read; answers that are under way are finished.
  void serveUntil(int stop);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase { Head, Body, Answering, Closing };
  struct Connection {
    int socket = -1;
    Phase phase = Phase::Head;
    Clock::time_point deadline;
    std::string received;  // not looked at yet; while a body comes, the body
    HttpRequest request;
    std::size_t bodySize = 0;
    HttpAnswer answer;
    std::string head;  // of the answer
    std::size_t sent = 0;
    bool again = false;  // another request may follow on the same connection
    bool done = false;   // to be forgotten
  };

  void acceptAll();
  void makeRoom();
  void receive(Connection& connection);
  void advance(Connection& connection);
  void look(Connection& connection);  // at what was received: is it a request?
  void begin(Connection& connection, std::size_t headSize);
  void finish(Connection& connection);
  void answer(Connection& connection, HttpAnswer answer, bool again);
  void refuse(Connection& connection, int status, const std::string& why);
  void send(Connection& connection);
  void close(Connection& connection);
  void forgetDone();
  [[nodiscard]] int pollTime() const;  // [ms]

  int listening_;
  HttpSite& site_;
  HttpLimits limits_;
  std::list<Connection> connections_;
};

}  // namespace tenon::cli
