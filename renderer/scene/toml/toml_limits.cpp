#include "renderer/scene/toml/toml_limits.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/host_memory.h"

namespace tl {
namespace {

class LimitsCheck {
  public:
    LimitsCheck(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    void check() {
        while (at_ < text_.size()) {
            char c = text_[at_];
            if (c == '"' || c == '\'') {
                skip_string(c);
                continue;
            }
            if (c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
                continue;
            }
            ++at_;
            count(c);
        }
        require_host_memory(bytes_, file_ + ": the tables of this file",
                            "keep meshes in files of their own");
    }

  private:
    void count(char c) {
        // Bytes that toml++ takes for a value in an array, for a part of a dotted key (a number has
        // a dot too) and for a key, rounded up.
        constexpr std::uint64_t kOfValue = 100, kOfPart = 240, kOfKey = 700;
        if (c == ',' || c == '[' || c == '{') bytes_ += kOfValue;
        if (c == '.' && n_dots_ > 0) bytes_ += kOfPart;
        if (c == '=') bytes_ += kOfKey;
        // Dots separate the parts of a key only up to one of these characters.
        if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}')
            n_dots_ = 0;
        if (c == '.' && ++n_dots_ >= kDeepestToml) fail("a key has");
        if ((c == '[' || c == '{') && ++n_open_ > kDeepestToml) fail("brackets are");
        if ((c == ']' || c == '}') && n_open_ > 0) --n_open_;
        line_ += c == '\n';
    }

    /// Moves past a string, or to the end of its line if it does not end there.
    void skip_string(char quote) {
        const std::string three(3, quote);
        bool is_long = text_.substr(at_).starts_with(three);
        at_ += is_long ? 3 : 1;
        for (; at_ < text_.size(); ++at_) {
            char c = text_[at_];
            if (c == '\n' && !is_long) return;
            line_ += c == '\n';
            if (c == '\\' && quote == '"') {
                ++at_;
                if (at_ < text_.size() && text_[at_] == '\n') --at_;  // counted as any other
                continue;
            }
            if (c != quote) continue;
            if (!is_long) {
                ++at_;
                return;
            }
            if (!text_.substr(at_).starts_with(three)) continue;
            // Two more quotes may stand before the three that end it.
            at_ += 3;
            for (int k = 0; k < 2 && at_ < text_.size() && text_[at_] == quote; ++k) ++at_;
            return;
        }
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(file_ + ":" + std::to_string(line_) + ": " + what + " more than " +
                        std::to_string(kDeepestToml) + " levels; no scene needs so many");
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    std::uint64_t bytes_ = 0;  ///< memory of the nodes
    int line_ = 1, n_open_ = 0, n_dots_ = 0;
};

}  // namespace

void check_toml_limits(std::string_view text, const std::string& file) {
    LimitsCheck(text, file).check();
}

}  // namespace tl
