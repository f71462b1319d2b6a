// Makes inputs for readers of files: small valid files, changed at random like damaged or forged
// files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tl::fuzz {

/// Contents of a file, and the ending by which its reader is chosen.
struct Input {
    std::string ending;  ///< ".obj"
    std::string bytes;
};

/// Random numbers by SplitMix64 (Steele et al. 2014): the same on every machine.
class Random {
  public:
    explicit Random(std::uint64_t state) : state_(state) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    /// Uniform in 0 to n - 1; 0 if n is 0.
    std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(next() % n); }
    template <class List>
    auto& one_of(List& list) {
        return list[below(std::size(list))];
    }

  private:
    std::uint64_t state_;
};

/// Produces inputs by number. The first inputs are the seeds, unchanged. Each later one is a seed
/// with one to eight random changes, most of them with repaired checksums and lengths (repair.h).
/// An input depends only on the seeds, its number and `random_seed`. Words come from the seeds, and
/// from words_of_format() for their endings.
class Mutator {
  public:
    static constexpr std::size_t kMostBytes = std::size_t{1} << 16;  ///< maximum size of an input

    Mutator(std::vector<Input> seeds, std::uint64_t random_seed);

    [[nodiscard]] Input input(std::uint64_t number) const;

  private:
    using Change = void (Mutator::*)(std::string&, Random&) const;

    void flip_bits(std::string& bytes, Random& random) const;
    void set_byte(std::string& bytes, Random& random) const;
    void set_integer(std::string& bytes, Random& random) const;
    void replace_number(std::string& bytes, Random& random) const;
    void replace_word(std::string& bytes, Random& random) const;
    void insert_word(std::string& bytes, Random& random) const;
    void copy_chunk(std::string& bytes, Random& random) const;
    void overwrite_chunk(std::string& bytes, Random& random) const;
    void delete_chunk(std::string& bytes, Random& random) const;
    void repeat_chunk(std::string& bytes, Random& random) const;
    void splice_chunk(std::string& bytes, Random& random) const;
    void cross(std::string& bytes, Random& random) const;
    void nest(std::string& bytes, Random& random) const;
    void lengthen_number(std::string& bytes, Random& random) const;
    void move_line(std::string& bytes, Random& random) const;
    void truncate(std::string& bytes, Random& random) const;

    std::vector<Input> seeds_;
    std::vector<std::string> words_;  ///< each once
    std::uint64_t random_seed_;
};

}  // namespace tl::fuzz
