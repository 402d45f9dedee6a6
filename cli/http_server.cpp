// HTTP/1.1 as RFC 9110 and 9112 have it, read strictly: what two readers could understand in two
// ways (a line without its carriage return, a space before a colon, two lengths) is refused.
#include "http_server.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace tenon::cli {
namespace {

std::string_view reasonOf(int status) {
  static constexpr std::pair<int, std::string_view> kReasons[] = {
      {200, "OK"},
      {201, "Created"},
      {304, "Not Modified"},
      {400, "Bad Request"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {411, "Length Required"},
      {412, "Precondition Failed"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {417, "Expectation Failed"},
      {421, "Misdirected Request"},
      {428, "Precondition Required"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {503, "Service Unavailable"},
      {505, "HTTP Version Not Supported"},
  };
  for (const auto& [number, reason] : kReasons)
    if (number == status) return reason;
  return "Unknown";
}

bool isTokenByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c != '\0' && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr);
}

bool isToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), isTokenByte);
}

// Bytes of a header's value: anything but control characters other than the tab.
bool isValue(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

std::string inSmallLetters(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

struct ReadHead {
  HttpRequest request;
  bool oldVersion = false;  // HTTP/1.0
  int status = 0;           // of the refusal, if it is none
  std::string why;
};

bool readRequestLine(std::string_view line, const HttpLimits& limits, ReadHead& head) {
  const auto fail = [&](int status, std::string why) {
    head.status = status;
    head.why = std::move(why);
    return false;
  };
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last)
    return fail(400, "the request has no request line");
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1),
                         target = line.substr(first + 1, last - first - 1);
  if (!isToken(method)) return fail(400, "the request has no method");
  if (target.size() > limits.target) return fail(414, "the address is too long");
  if (target.empty() || target.front() != '/' ||
      !std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7f; }))
    return fail(400, "this is not an address of this server");
  if (version.size() != 8 || version.substr(0, 5) != "HTTP/") return fail(400, "this is not HTTP");
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return fail(505, "this server speaks only HTTP/1.1");
  head.oldVersion = version == "HTTP/1.0";
  head.request.method = std::string(method);
  head.request.target = std::string(target);
  return true;
}

// The request line and headers: `text` ends behind the last header's line end.
ReadHead readHead(std::string_view text, const HttpLimits& limits) {
  ReadHead head;
  std::size_t lines = 0;
  while (!text.empty() && head.status == 0) {
    const std::size_t end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (lines++ == 0) {
      readRequestLine(line, limits, head);
      continue;
    }
    const std::size_t colon = line.find(':');
    const std::string_view value =
        colon == std::string_view::npos ? std::string_view{} : trimmed(line.substr(colon + 1));
    if (colon == std::string_view::npos || !isToken(line.substr(0, colon)) || !isValue(value)) {
      head.status = 400;
      head.why = "a header cannot be read";
    } else if (lines > limits.headers + 1) {
      head.status = 431;
      head.why = "too many headers";
    } else {
      const std::string name = inSmallLetters(line.substr(0, colon));
      const auto [place, isNew] = head.request.headers.emplace(name, value);
      if (!isNew) {
        if (name == "host" || name == "origin" || name == "content-length" ||
            name == "transfer-encoding") {
          head.status = 400;
          head.why = "there are two headers " + name;
        }
        place->second += ", " + std::string(value);
      }
    }
  }
  return head;
}

std::optional<std::size_t> wholeNumber(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

std::string why() { return std::strerror(errno); }

int openListening(const addrinfo& place) {
  const int fd = socket(place.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);  // of connections that just ended
  if (bind(fd, place.ai_addr, place.ai_addrlen) == 0 && listen(fd, 128) == 0) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

int portOf(int fd) {
  sockaddr_storage place = {};
  socklen_t size = sizeof place;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&place), &size) != 0) return 0;
  if (place.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6&>(place).sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in&>(place).sin_port);
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

Listening listenAt(const std::string& address, int port) {
  constexpr int kNext = 64, kLastPort = 65535;  // that many ports are tried, then any
  Listening listening;
  for (int attempt = 0; attempt <= kNext && listening.socket < 0; ++attempt) {
    const bool any = port == 0 || attempt == kNext || port + attempt > kLastPort;
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* places = nullptr;
    const std::string service = std::to_string(any ? 0 : port + attempt);
    if (const int code = getaddrinfo(address.c_str(), service.c_str(), &hints, &places)) {
      listening.failure = gai_strerror(code);
      return listening;
    }
    listening.socket = openListening(*places);
    listening.failure = listening.socket < 0 ? why() : "";
    const bool taken = listening.socket < 0 && errno == EADDRINUSE;
    freeaddrinfo(places);
    if (!taken || any) break;
  }
  if (listening.socket >= 0) listening.port = portOf(listening.socket);
  return listening;
}

HttpServer::HttpServer(int listening, HttpSite& site, HttpLimits limits)
    : listening_(listening), site_(site), limits_(limits) {}

HttpServer::~HttpServer() {
  for (Connection& connection : connections_) close(connection);
  if (listening_ >= 0) ::close(listening_);
}

void HttpServer::serveUntil(int stop) {
  std::vector<pollfd> watched;
  bool stopping = false;
  Clock::time_point end;
  for (;;) {
    if (stopping) {
      const bool busy =
          std::any_of(connections_.begin(), connections_.end(),
                      [](const Connection& c) { return c.phase == Phase::Answering; });
      if (!busy || Clock::now() > end) return;
    }
    watched.assign({{stopping ? -1 : stop, POLLIN, 0}, {stopping ? -1 : listening_, POLLIN, 0}});
    for (const Connection& connection : connections_)
      watched.push_back({connection.socket,
                         connection.phase == Phase::Answering ? short{POLLOUT} : short{POLLIN}, 0});
    const int ready = poll(watched.data(), watched.size(), pollTime());
    if (ready < 0 && errno != EINTR) return;
    if (ready > 0) {
      std::size_t i = 2;
      for (Connection& connection : connections_) {
        if (watched[i++].revents == 0) continue;
        if (connection.phase == Phase::Answering)
          advance(connection);
        else
          receive(connection);
      }
      if (watched[1].revents != 0) acceptAll();
      if (watched[0].revents != 0) {
        stopping = true;
        end = Clock::now() + limits_.closeTime;
      }
    }
    const Clock::time_point now = Clock::now();
    for (Connection& connection : connections_) {
      if (connection.done || now < connection.deadline) continue;
      // Whoever has begun a request is told; whoever has sent nothing, or takes nothing, is not.
      if (connection.phase == Phase::Body ||
          (connection.phase == Phase::Head && !connection.received.empty())) {
        refuse(connection, 408, "the request took too long");
        advance(connection);
      } else {
        connection.done = true;
      }
    }
    forgetDone();
  }
}

int HttpServer::pollTime() const {
  std::chrono::milliseconds time{1000};
  const Clock::time_point now = Clock::now();
  for (const Connection& connection : connections_)
    time = std::min(time, std::chrono::ceil<std::chrono::milliseconds>(connection.deadline - now));
  return static_cast<int>(std::max<long long>(0, time.count()));
}

void HttpServer::acceptAll() {
  // Not more than there is room for: those that wait are read from before others push them out.
  for (std::size_t i = 0; i < limits_.connections / 2; ++i) {
    const int fd = accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      const int error = errno;
      if (error == EMFILE || error == ENFILE) makeRoom();
      if (error == EINTR || error == ECONNABORTED) continue;
      return;
    }
    if (connections_.size() >= limits_.connections) makeRoom();
    const int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Connection& connection = connections_.emplace_back();
    connection.socket = fd;
    connection.deadline = Clock::now() + limits_.headTime;
    receive(connection);  // the request is often there already
    forgetDone();
  }
}

// Forgets a connection: one that has sent no request rather than one that is being served, and of
// these the one that has the least time left.
void HttpServer::makeRoom() {
  const auto rank = [](const Connection& c) {
    const int order = c.phase == Phase::Head      ? 0
                      : c.phase == Phase::Closing ? 1
                      : c.phase == Phase::Body    ? 2
                                                  : 3;
    return std::make_pair(order, c.deadline);
  };
  const auto found =
      std::min_element(connections_.begin(), connections_.end(),
                       [&](const Connection& a, const Connection& b) { return rank(a) < rank(b); });
  if (found == connections_.end()) return;
  found->done = true;
  forgetDone();
}

void HttpServer::receive(Connection& connection) {
  char piece[1 << 16];
  for (int i = 0; i < 16; ++i) {  // then it is the others' turn
    const ssize_t n = recv(connection.socket, piece, sizeof piece, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) {
      connection.done = true;
      return;
    }
    if (connection.phase == Phase::Closing) continue;  // not wanted any more
    connection.received.append(piece, static_cast<std::size_t>(n));
    advance(connection);
    if (connection.done || connection.phase == Phase::Answering) return;
  }
}

// As far as it goes with what was received: several requests may have come at once.
void HttpServer::advance(Connection& connection) {
  while (!connection.done && connection.phase != Phase::Closing) {
    const Phase before = connection.phase;
    if (before == Phase::Answering)
      send(connection);
    else
      look(connection);
    if (connection.phase == before) return;
  }
}

void HttpServer::look(Connection& connection) {
  std::string& received = connection.received;
  if (connection.phase == Phase::Head) {
    // An empty line before a request is let through [RFC 9112 §2.2].
    if (received.compare(0, 2, "\r\n") == 0) received.erase(0, 2);
    const std::size_t end = received.find("\r\n\r\n");
    const std::size_t size = end == std::string::npos ? received.size() : end + 4;
    if (size > limits_.head) {
      const bool longLine = received.find("\r\n") > limits_.target + 32;
      return refuse(connection, longLine ? 414 : 431,
                    longLine ? "the address is too long" : "the headers are too long");
    }
    if (end == std::string::npos) return;
    begin(connection, end + 4);
  }
  if (connection.phase == Phase::Body && received.size() >= connection.bodySize) finish(connection);
}

// A head has come: says no, or waits for the body.
void HttpServer::begin(Connection& connection, std::size_t headSize) {
  ReadHead head = readHead(std::string_view(connection.received).substr(0, headSize - 2), limits_);
  connection.received.erase(0, headSize);
  connection.request = std::move(head.request);
  if (head.status != 0) return refuse(connection, head.status, head.why);
  const HttpRequest& request = connection.request;
  const std::string wish = inSmallLetters(request.header("connection"));
  connection.again = !head.oldVersion && wish.find("close") == std::string::npos;

  if (request.has("transfer-encoding"))
    return refuse(connection, 501, "a body needs its Content-Length");
  const bool hasLength = request.has("content-length");
  const auto length = wholeNumber(request.header("content-length"));
  if (hasLength && !length) return refuse(connection, 400, "Content-Length is not a number");
  connection.bodySize = length.value_or(0);
  if (auto answer = site_.refuse(request))
    return this->answer(connection, std::move(*answer),
                        connection.again && connection.bodySize == 0);
  if (request.method == "PUT" && !hasLength)
    return refuse(connection, 411, "a body needs its Content-Length");
  if (request.method != "PUT" && connection.bodySize > 0)
    return refuse(connection, 400, request.method + " has no body");
  if (connection.bodySize > limits_.body)
    return refuse(connection, 413,
                  "a body may have at most " + std::to_string(limits_.body >> 20) + " MiB");
  std::size_t all = connection.bodySize;
  for (const Connection& other : connections_)
    if (other.phase == Phase::Body) all += other.bodySize;
  if (all > limits_.allBodies) return refuse(connection, 503, "the server is busy; try again");
  if (request.has("expect")) {
    if (inSmallLetters(request.header("expect")) != "100-continue")
      return refuse(connection, 417, "the only expectation that works is 100-continue");
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    const ssize_t n = ::send(connection.socket, kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
    if (n != static_cast<ssize_t>(kContinue.size())) {
      connection.done = true;
      return;
    }
  }
  connection.phase = Phase::Body;
  connection.deadline = Clock::now() + limits_.bodyTime;
}

void HttpServer::finish(Connection& connection) {
  std::string next = connection.received.substr(connection.bodySize);
  connection.received.resize(connection.bodySize);
  connection.request.body = std::exchange(connection.received, std::move(next));
  answer(connection, site_.answer(connection.request), connection.again);
}

void HttpServer::refuse(Connection& connection, int status, const std::string& why) {
  HttpAnswer said;
  said.status = status;
  said.headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}};
  said.body = why + "\n";
  answer(connection, std::move(said), false);
}

void HttpServer::answer(Connection& connection, HttpAnswer answer, bool again) {
  connection.answer = std::move(answer);
  connection.again = again;
  connection.sent = 0;
  HttpAnswer& said = connection.answer;
  if (!said.body.empty()) said.lasting = said.body;
  const std::size_t size = said.lasting.size();
  std::string& head = connection.head;
  head =
      "HTTP/1.1 " + std::to_string(said.status) + " " + std::string(reasonOf(said.status)) + "\r\n";
  const auto add = [&](const auto& header) {
    head += header.first + ": " + header.second + "\r\n";
  };
  for (const auto& header : said.headers) add(header);
  for (const auto& header : site_.everywhere())
    if (std::none_of(said.headers.begin(), said.headers.end(),
                     [&](const auto& own) { return own.first == header.first; }))
      add(header);
  if (said.status != 304) head += "Content-Length: " + std::to_string(size) + "\r\n";
  head += again ? "\r\n" : "Connection: close\r\n\r\n";
  if (connection.request.method == "HEAD" || said.status == 304) said.lasting = {};
  connection.phase = Phase::Answering;
  connection.deadline = Clock::now() + limits_.sendTime;
}

void HttpServer::send(Connection& connection) {
  const std::string_view parts[] = {connection.head, connection.answer.lasting};
  const std::size_t all = parts[0].size() + parts[1].size();
  while (connection.sent < all) {
    const bool inHead = connection.sent < parts[0].size();
    const std::string_view rest = inHead ? parts[0].substr(connection.sent)
                                         : parts[1].substr(connection.sent - parts[0].size());
    const ssize_t n = ::send(connection.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) {
      connection.done = true;
      return;
    }
    connection.sent += static_cast<std::size_t>(n);
    connection.deadline = Clock::now() + limits_.sendTime;
  }
  connection.answer = {};
  connection.head.clear();
  connection.request = {};
  if (connection.again) {
    connection.phase = Phase::Head;
    connection.deadline = Clock::now() + limits_.headTime;
  } else {
    // Closing with bytes unread would reset the connection, and the answer with it.
    connection.received.clear();
    shutdown(connection.socket, SHUT_WR);
    connection.phase = Phase::Closing;
    connection.deadline = Clock::now() + limits_.closeTime;
  }
}

void HttpServer::close(Connection& connection) {
  ::close(connection.socket);
  connection.socket = -1;
}

void HttpServer::forgetDone() {
  for (Connection& connection : connections_)
    if (connection.done) close(connection);
  connections_.remove_if([](const Connection& connection) { return connection.done; });
}

}  // namespace tenon::cli
