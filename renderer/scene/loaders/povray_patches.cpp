// The bicubic_patch blocks of POV-Ray files: sixteen control points in angle brackets, after
// settings for POV-Ray's own tessellation. Numbers must be literals. All else in the file is
// skipped, with a warning if it has transforms, which may move the patches. POV-Ray is left-handed:
// z is negated, which leaves the outside where it was.
#include <cmath>
#include <string_view>

#include "core/base/error.h"
#include "core/base/one_line.h"
#include "core/base/text.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/patch_files.h"

namespace tl {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Tokenises the language: words, numbers and punctuation, without comments.
class PovrayTokens {
  public:
    PovrayTokens(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    /// The next token; empty at the end.
    std::string_view next() {
        skip_space();
        std::size_t begin = at_;
        if (begin == text_.size()) return {};
        auto take = [&](auto belongs) {
            while (at_ < text_.size() && belongs(text_[at_])) ++at_;
        };
        char c = text_[at_++];
        if (c == '"') {
            take([](char other) { return other != '"' && other != '\n'; });
            if (at_ < text_.size()) ++at_;
        } else if (is_letter(c)) {
            take([](char other) { return is_letter(other) || is_digit(other); });
        } else if (is_digit(c) || c == '.') {
            char before = c;
            take([&](char other) {
                bool sign = (other == '-' || other == '+') && (before == 'e' || before == 'E');
                before = other;
                return sign || is_digit(other) || other == '.' || other == 'e' || other == 'E';
            });
        }
        return text_.substr(begin, at_ - begin);
    }
    void expect(std::string_view wanted) {
        std::string_view found = next();
        if (found != wanted)
            fail("'" + std::string(wanted) + "' is wanted in place of '" +
                 std::string(found.substr(0, 40)) + "'");
    }
    double number() {
        std::string_view token = next();
        double sign = 1;
        while (token == "-" || token == "+") {
            if (token == "-") sign = -sign;
            token = next();
        }
        auto value = number_in<double>(token);
        if (!value)
            fail("'" + std::string(token.substr(0, 40)) +
                 "' is no number; only literal numbers are read here");
        if (!(std::abs(*value) <= kLargestCoordinate)) fail("a number is beyond 1e15");
        return sign * *value;
    }
    [[nodiscard]] int line() const { return line_; }
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(file_ + ":" + std::to_string(line_) + ": " + escaped(what));
    }

  private:
    void skip_space() {
        while (at_ < text_.size()) {
            std::string_view rest = text_.substr(at_);
            if (rest.starts_with("//")) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (rest.starts_with("/*")) {
                std::size_t end = text_.find("*/", at_ + 2);
                if (end == std::string_view::npos) fail("a comment does not end");
                for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
            } else if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n') {
                line_ += rest[0] == '\n';
                ++at_;
            } else {
                return;
            }
        }
    }
    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    int line_ = 1;
};

bool is_transform(std::string_view token) {
    return token == "translate" || token == "rotate" || token == "scale" || token == "matrix" ||
           token == "transform";
}

/// Reads from after "bicubic_patch" to its closing brace. Returns whether transforms were skipped.
bool read_patch(PovrayTokens& tokens, PatchSet& set) {
    tokens.expect("{");
    std::size_t n_points = 0;
    int n_uvs = 0;  // texture coordinates that follow; they are passed over
    bool modified = false;
    for (int depth = 1; depth > 0;) {
        std::string_view token = tokens.next();
        if (token.empty()) tokens.fail("a bicubic_patch does not end; a '}' is missing");
        if (token == "{") ++depth;
        if (token == "}") --depth;
        modified = modified || is_transform(token);
        if (token == "uv_vectors") n_uvs = 4;
        if (token != "<" || depth != 1 || modified || n_points == 16) continue;
        if (n_uvs > 0) {
            --n_uvs;
            continue;
        }
        double p[3];
        for (int axis = 0; axis < 3; ++axis) {
            p[axis] = tokens.number();
            tokens.expect(axis < 2 ? "," : ">");
        }
        set.points.push_back(vec3(glm::dvec3(p[0], p[1], -p[2])));
        ++n_points;
    }
    if (n_points != 16)
        tokens.fail("a bicubic_patch has " + std::to_string(n_points) + " control points, not 16");
    set.material_of_patch.push_back(0);
    return modified;
}

}  // namespace

PatchSet read_povray_patches(const std::string& text, const std::string& file, Warnings& warnings) {
    PovrayTokens tokens(text, file);
    PatchSet set;
    bool warned = false;
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        int line = tokens.line();
        bool moves = token == "bicubic_patch" ? read_patch(tokens, set) : is_transform(token);
        if (!moves || warned) continue;
        warnings.push_back(file + ":" + std::to_string(line) +
                           ": transforms are not read: patches stay where their points are");
        warned = true;
    }
    if (set.points.empty()) tokens.fail("there is no bicubic_patch in the file");
    return set;
}

}  // namespace tl
