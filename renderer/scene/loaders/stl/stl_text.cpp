// STL as text: solids of facets of three vertices each. Their keywords may be in any case.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/stl/stl_solid.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

bool is_between_words(char c) {
    return static_cast<unsigned char>(c) <= ' ';
}

/// The words of a text, with their lines.
class StlWords {
  public:
    explicit StlWords(std::string_view text) : text_(text) {}

    /// The next word, in lower case; "" at the end.
    std::string next() {
        skip_blanks();
        std::size_t end = at_;
        while (end < text_.size() && !is_between_words(text_[end])) ++end;
        std::string word = lower_case(text_.substr(at_, end - at_));
        at_ = end;
        return word;
    }
    /// Takes the next word if it is this one.
    bool take(std::string_view word) {
        auto before = *this;
        if (next() == word) return true;
        *this = before;
        return false;
    }
    /// Takes the rest of the line, up to the word `stop` where `then` follows it.
    std::string_view rest_of_line(std::string_view stop, std::string_view then) {
        std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') {
            if (!is_between_words(text_[at_++])) continue;
            auto after = *this;
            if (lower_case(text_.substr(at_, stop.size())) == stop && after.take(stop) &&
                (then.empty() || after.take(then)))
                break;
        }
        return trimmed(text_.substr(begin, at_ - begin));
    }

    [[nodiscard]] std::size_t line() const { return line_; }
    [[nodiscard]] std::size_t place() const { return at_; }

  private:
    void skip_blanks() {
        for (; at_ < text_.size() && is_between_words(text_[at_]); ++at_) {
            bool is_pair = text_.substr(at_, 2) == "\r\n";
            if (text_[at_] == '\n' || (text_[at_] == '\r' && !is_pair)) ++line_;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0, line_ = 1;
};

class StlTextReader {
  public:
    StlTextReader(std::string_view text, const std::string& path, const ReadProgress& progress)
        : words_(text), path_(path), loop_(progress, "parsing", text.size()) {}

    StlFile read() {
        for (std::string word = words_.next(); !word.empty(); word = words_.next()) {
            loop_.at(words_.place());
            if (word == "end") word += words_.next();
            read_statement(word);
        }
        if (is_in_facet_)
            throw UserError(path_ + ": ends within the facet of line " +
                            std::to_string(facet_line_) + "; it is cut off");
        loop_.end();
        if (is_in_solid_ && !file_.solids.empty())
            file_.warnings.push_back("has no 'endsolid' at its end; it may be cut off");
        if (!unknown_.empty())
            file_.warnings.push_back("ignores statements that STL has not, the first '" + unknown_ +
                                     "' in line " + std::to_string(unknown_line_));
        return std::move(file_);
    }

  private:
    void read_statement(const std::string& word) {
        if (word == "vertex") {
            read_vertex();
        } else if (word == "facet") {
            if (is_in_facet_) end_facet();
            begin_facet();
        } else if (word == "endfacet") {
            end_facet();
        } else if (word == "outer") {
            (void)words_.take("loop");
        } else if (word == "solid") {
            name_ = std::string(words_.rest_of_line("facet", "normal"));
            is_in_solid_ = is_new_solid_ = true;
        } else if (word == "endsolid") {
            (void)words_.rest_of_line("solid", "");
            is_in_solid_ = false;
        } else if (word != "endloop") {
            if (unknown_.empty()) {
                unknown_ = shown(word);
                unknown_line_ = words_.line();
            }
            (void)words_.rest_of_line("facet", "normal");
        }
    }

    void begin_facet() {
        is_in_facet_ = true;
        facet_line_ = words_.line();
        corners_.clear();
        if (!words_.take("normal")) return;
        // Programs write all sorts of words for normals of no length, and none is used.
        for (int k = 0; k < 3; ++k) {
            auto before = words_;
            auto word = words_.next();
            if (word != "outer" && word != "vertex") continue;
            words_ = before;
            return;
        }
    }

    void read_vertex() {
        glm::dvec3 corner;
        for (int k = 0; k < 3; ++k) {
            std::string word = words_.next();
            auto value = real_in(word);
            if (!value)
                fail(std::string("the ") + "xyz"[k] + " of a vertex is " +
                     (word.empty() ? "missing; the file is cut off"
                                   : "'" + shown(word) + "', which is no number"));
            if (!(std::abs(*value) <= kLargestCoordinate))
                fail(std::string("the ") + "xyz"[k] + " of a vertex is " +
                     (std::isfinite(*value) ? "beyond 1e15" : "not finite"));
            corner[k] = *value;
        }
        if (!is_in_facet_) begin_facet();
        corners_.push_back(corner);
    }

    void end_facet() {
        if (!is_in_facet_) return;
        is_in_facet_ = false;
        if (corners_.size() < 3)
            fail("the facet of line " + std::to_string(facet_line_) + " has " +
                 std::to_string(corners_.size()) + " vertices; it wants three");
        if (is_new_solid_ || file_.solids.empty()) file_.solids.emplace_back(name_);
        is_new_solid_ = false;
        n_triangles_ += corners_.size() - 2;
        if (n_triangles_ > std::size_t{kMostTriangles}) fail("more than 1,000,000,000 triangles");
        for (std::size_t i = 1; i + 1 < corners_.size(); ++i)
            file_.solids.back().add({corners_[0], corners_[i], corners_[i + 1]});
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(path_ + ":" + std::to_string(words_.line()) + ": " + what);
    }

    StlWords words_;
    const std::string& path_;
    WorkLoop loop_;
    StlFile file_{};
    std::string name_{}, unknown_{};
    std::vector<glm::dvec3> corners_{};  ///< of the facet
    std::size_t facet_line_ = 0, unknown_line_ = 0, n_triangles_ = 0;
    bool is_in_facet_ = false, is_in_solid_ = false;
    bool is_new_solid_ = false;  ///< no facet since its beginning
};

}  // namespace

bool is_stl_text(std::string_view bytes) {
    if (bytes.size() >= kStlStart) {
        // Letters, taken for the count, promise far more triangles than any file has.
        std::uint32_t count = 0;
        std::memcpy(&count, bytes.data() + kStlHeader, sizeof count);
        if (count <= (bytes.size() - kStlStart) / kStlTriangle) return false;
    }
    bytes = bytes.substr(0, bytes.find_last_not_of('\0') + 1);
    std::string begin = StlWords(trimmed(bytes).substr(0, kStlStart)).next();
    return (begin == "solid" || begin == "facet") &&
           bytes.substr(0, kStlStart).find('\0') == std::string_view::npos;
}

StlFile read_stl_text(std::string_view text, const std::string& path,
                      const ReadProgress& progress) {
    return StlTextReader(text, path, progress).read();
}

}  // namespace tl
