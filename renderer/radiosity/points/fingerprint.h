// 64-bit hash of plain data, to detect changes.
#pragma once

#include <cstring>
#include <vector>

#include "core/base/macros.h"

namespace tl {

class Fingerprint {
  public:
    /// Adds plain data, eight bytes at a time, and its length.
    void add(const void* data, std::size_t n_bytes) {
        auto* bytes = static_cast<const unsigned char*>(data);
        add_word(n_bytes);
        for (; n_bytes >= sizeof(std::uint64_t); n_bytes -= sizeof(std::uint64_t)) {
            std::uint64_t word;
            std::memcpy(&word, bytes, sizeof word);
            add_word(word);
            bytes += sizeof word;
        }
        std::uint64_t rest = 0;
        if (n_bytes > 0) std::memcpy(&rest, bytes, n_bytes);
        add_word(rest);
    }
    template <class T>
    void add(const std::vector<T>& values) {
        add(values.data(), values.size() * sizeof(T));
    }
    template <class T>
    void add_value(const T& value) {
        add(&value, sizeof value);
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

  private:
    void add_word(std::uint64_t word) {
        hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15u;
        hash_ ^= hash_ >> 32;
    }

    std::uint64_t hash_ = 0x7261646961746500u;
};

}  // namespace tl
