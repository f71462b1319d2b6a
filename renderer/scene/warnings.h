// Warnings about a scene's files, in lines for the user: without repeats, and with a count instead
// of the many lines that a large file would give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tl {

class Warnings {
  public:
    static constexpr std::size_t kMostOfAKind = 20;    ///< lines, before "and 7 more"
    static constexpr std::size_t kLongestLine = 1000;  ///< bytes; longer lines are cut

    /// Adds a line "place: what", unless it was added before. Lines that differ only in their
    /// place, in numbers and in 'names' are of one kind. Those beyond kMostOfAKind become one line
    /// with their number.
    void push_back(std::string line);

    [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
    [[nodiscard]] std::size_t size() const { return lines_.size(); }
    [[nodiscard]] bool empty() const { return lines_.empty(); }
    [[nodiscard]] const std::string& front() const { return lines_.front(); }
    [[nodiscard]] const std::string& operator[](std::size_t i) const { return lines_[i]; }
    [[nodiscard]] const std::string& at(std::size_t i) const { return lines_.at(i); }
    [[nodiscard]] auto begin() const { return lines_.begin(); }
    [[nodiscard]] auto end() const { return lines_.end(); }

  private:
    struct Kind {
        std::size_t n_lines = 0;
        std::size_t first = 0, count = 0;  ///< indices of its first line and of "and 7 more"
    };

    std::vector<std::string> lines_;
    std::unordered_map<std::string, Kind> kinds_;
    std::unordered_set<std::size_t> seen_;  ///< hashes of all lines
};

}  // namespace tl
