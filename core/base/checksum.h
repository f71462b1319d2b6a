// Checksum of bytes, to notice changed and damaged files. It is no protection against intent.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tl {

/// FNV-1a of 64 bits (Fowler, Noll and Vo 1991) over words of eight bytes instead of bytes, the
/// last one filled with zeros. `before`: checksum of the text that precedes the bytes.
[[nodiscard]] inline std::uint64_t checksum_of(std::string_view bytes,
                                               std::uint64_t before = 0xcbf29ce484222325) {
    constexpr std::uint64_t kPrime = 0x100000001b3;
    std::uint64_t sum = before;
    for (std::size_t first = 0; first < bytes.size(); first += sizeof sum) {
        std::uint64_t word = 0;
        auto rest = bytes.substr(first, sizeof word);
        std::memcpy(&word, rest.data(), rest.size());
        sum = (sum ^ word) * kPrime;
        sum ^= sum >> 32;  // upper bits of words must reach lower ones
    }
    return (sum ^ bytes.size()) * kPrime;
}

}  // namespace tl
