// A hash table of words by names of pairs of nodes: each is where its name leads, or behind others
// there (Knuth 1973, "Sorting and Searching", section 6.4, algorithm L).
#pragma once

#include "accel/parallel/array.h"
#include "accel/parallel/compare_exchange.h"

TL_DEVICE_BEGIN

struct SightTableView {
    View<std::uint64_t> names;  ///< 0: free
    View<std::uint32_t> words;

    /// 0 where there is none.
    [[nodiscard]] TL_D std::uint32_t find(std::uint64_t name) const {
        name = own(name);
        std::uint32_t slot = first(name);
        while (names[slot] != 0 && names[slot] != name) slot = next(slot);
        return names[slot] == name ? words[slot] : 0;
    }
    /// From many threads, each name once.
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

/// Owns a table.
class SightTable {
  public:
    /// Room for `n` pairs more, when it grows for `n_expected` in all.
    void make_room(Stream& stream, std::uint64_t n, std::uint64_t n_expected);
    void clear();
    /// Pairs that there is room for.
    [[nodiscard]] std::uint64_t size() const { return n_; }
    [[nodiscard]] SightTableView view() { return {names_.view(), words_.view()}; }
    [[nodiscard]] std::size_t bytes() const { return names_.bytes() + words_.bytes(); }

  private:
    DeviceArray<std::uint64_t> names_;
    DeviceArray<std::uint32_t> words_;
    std::uint64_t n_ = 0;
};

TL_DEVICE_END
