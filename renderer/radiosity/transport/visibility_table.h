// Hash table of words by content hashes ("names") of pairs of nodes, with open addressing and
// linear probing (Knuth 1973, "Sorting and Searching", section 6.4, algorithm L).
#pragma once

#include "core/base/compare_exchange.h"
#include "core/device/array.h"

TL_DEVICE_BEGIN

struct VisibilityTableView {
    View<std::uint64_t> names;  ///< 0: free
    View<std::uint32_t> words;

    /// Returns the word of a name, or 0 if there is none.
    [[nodiscard]] TL_D std::uint32_t find(std::uint64_t name) const {
        name = own(name);
        std::uint32_t slot = first(name);
        while (names[slot] != 0 && names[slot] != name) slot = next(slot);
        return names[slot] == name ? words[slot] : 0;
    }
    /// Inserts or overwrites a word. Many threads may call this concurrently, each name once.
    TL_D void set(std::uint64_t name, std::uint32_t word) const {
        name = own(name);
        std::uint32_t slot = first(name);
        while (true) {
            std::uint64_t there = atomic_compare_exchange(&names[slot], 0, name);
            if (there == 0 || there == name) break;
            slot = next(slot);
        }
        words[slot] = word;
    }

  private:
    [[nodiscard]] TL_D static std::uint64_t own(std::uint64_t name) { return name != 0 ? name : 1; }
    [[nodiscard]] TL_D std::uint32_t first(std::uint64_t name) const {
        return static_cast<std::uint32_t>((name >> 32) * names.size >> 32);
    }
    [[nodiscard]] TL_D std::uint32_t next(std::uint32_t slot) const {
        return slot + 1 < names.size ? slot + 1 : 0;
    }
};

/// Owns the memory of a table.
class VisibilityTable {
  public:
    /// Reserves capacity for `n` more pairs. If the table has to grow, it grows to at least
    /// `n_expected` pairs in all.
    void make_room(Stream& stream, std::uint64_t n, std::uint64_t n_expected);
    void clear();
    /// Number of pairs reserved so far.
    [[nodiscard]] std::uint64_t size() const { return n_; }
    [[nodiscard]] VisibilityTableView view() { return {names_.view(), words_.view()}; }
    [[nodiscard]] std::size_t bytes() const { return names_.bytes() + words_.bytes(); }

  private:
    DeviceArray<std::uint64_t> names_;
    DeviceArray<std::uint32_t> words_;
    std::uint64_t n_ = 0;
};

TL_DEVICE_END
