#include "sha256.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tenon::cli {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes [FIPS 180-4 §4.2.2].
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t turned(std::uint32_t x, unsigned n) { return (x >> n) | (x << (32 - n)); }

// One block of 64 bytes [FIPS 180-4 §6.2.2].
void takeBlock(const unsigned char* block, std::array<std::uint32_t, 8>& hash) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t)
    w[t] = std::uint32_t{block[4 * t]} << 24u | std::uint32_t{block[4 * t + 1]} << 16u |
           std::uint32_t{block[4 * t + 2]} << 8u | std::uint32_t{block[4 * t + 3]};
  for (std::size_t t = 16; t < 64; ++t)
    w[t] = (turned(w[t - 2], 17) ^ turned(w[t - 2], 19) ^ (w[t - 2] >> 10u)) + w[t - 7] +
           (turned(w[t - 15], 7) ^ turned(w[t - 15], 18) ^ (w[t - 15] >> 3u)) + w[t - 16];
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t first = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                                ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const std::uint32_t second =
        (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> more = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) hash[i] += more[i];
}

}  // namespace

std::string sha256InBase64(std::string_view bytes) {
  std::array<std::uint32_t, 8> hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  // A one, zeros, and the number of bits fill up the last block [FIPS 180-4 §5.1.1].
  std::string padded(bytes);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  for (unsigned i = 0; i < 8; ++i)
    padded += static_cast<char>((std::uint64_t{bytes.size()} * 8) >> (56u - 8 * i) & 0xffu);
  for (std::size_t i = 0; i < padded.size(); i += 64)
    takeBlock(reinterpret_cast<const unsigned char*>(padded.data()) + i, hash);

  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto bitsAt = [&](unsigned bit) {  // six of them; beyond the end there are zeros
    unsigned six = 0;
    for (unsigned i = bit; i < bit + 6; ++i)
      six = six * 2 + (i < 256 ? hash[i / 32] >> (31u - i % 32) & 1u : 0u);
    return six;
  };
  std::string text;
  for (unsigned bit = 0; bit < 256; bit += 6) text += kDigits[bitsAt(bit)];
  return text + "=";
}

}  // namespace tenon::cli
