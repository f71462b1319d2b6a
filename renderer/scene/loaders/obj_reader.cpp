#include "renderer/scene/loaders/obj_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/polygon.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

constexpr std::size_t kMostCorners = 4096;             // of one face: triangulating is quadratic
constexpr std::int64_t kMostElements = 2'000'000'000;  // indices are int

/// One of the lists that faces index: positions, texture coordinates, normals.
struct Elements {
    const char* name;
    int n_needed;  // required numbers per element; omitted others are 0
    std::vector<vec3> values;
    std::int64_t greatest_index = 0;  // faces may refer to elements of later lines
    std::size_t line_of_greatest = 0;

    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(values.size()); }
};

/// Cuts faces of more than three corners into triangles.
class Triangulator {
  public:
    explicit Triangulator(const std::vector<vec3>& positions) : positions_(positions) {}

    void triangulate(ObjShape& shape) {
        auto polygons = std::move(shape);
        ObjShape triangles{std::move(polygons.name), {}, {}};
        triangles.corners.reserve(polygons.corners.size());
        triangles.faces.reserve(polygons.faces.size());
        const ObjCorner* corners = polygons.corners.data();
        for (auto& face : polygons.faces) {
            for (auto& triangle : triangles_of({corners, face.n_corners})) {
                for (int k = 0; k < 3; ++k) triangles.corners.push_back(corners[triangle[k]]);
                triangles.faces.push_back({3, face.material, face.smoothing_group});
            }
            corners += face.n_corners;
        }
        shape = std::move(triangles);
    }

  private:
    std::span<const glm::uvec3> triangles_of(std::span<const ObjCorner> polygon) {
        static constexpr glm::uvec3 kTriangle[] = {{0, 1, 2}};
        if (polygon.size() == 3) return kTriangle;
        corners_.clear();
        for (auto& corner : polygon)
            corners_.push_back(positions_[static_cast<std::size_t>(corner.position)]);
        return cutter_.cut(corners_);
    }

    const std::vector<vec3>& positions_;
    PolygonCutter cutter_{QuadCut::shorter};
    std::vector<vec3> corners_;  // of a polygon
};

class ObjReader {
  public:
    ObjReader(std::string& text, const std::string& file) : text_(text), file_(file) {}

    ObjFile read() {
        if (auto nul = text_.find('\0'); nul != std::string::npos)
            throw UserError(file_ + ": byte " + std::to_string(nul) +
                            " is zero: this is no OBJ text file");
        for (std::size_t begin = 0; begin < text_.size();) begin = read_line(begin);
        for (auto* list : {&positions_, &uvs_, &normals_})
            if (list->greatest_index > list->count())
                fail(list->line_of_greatest,
                     std::string(list->name) + " " + std::to_string(list->greatest_index) +
                         " is named, but the file has " + std::to_string(list->count()) +
                         "; it may be cut off");
        std::erase_if(result_.shapes, [](auto& shape) { return shape.faces.empty(); });
        if (result_.shapes.empty())
            throw UserError(file_ + ": has no faces, so there is nothing to draw" +
                            (text_.empty() ? " (the file is empty)" : ""));
        Triangulator triangulator(positions_.values);
        for (auto& shape : result_.shapes) triangulator.triangulate(shape);
        result_.positions = std::move(positions_.values);
        result_.uvs = std::move(uvs_.values);
        result_.normals = std::move(normals_.values);
        return std::move(result_);
    }

  private:
    /// Reads the line that starts at `begin`; returns where the next one starts.
    std::size_t read_line(std::size_t begin) {
        line_ = ++n_lines_;
        std::size_t end = begin;
        bool comment =
            text_[std::min(text_.find_first_not_of(" \t", begin), text_.size() - 1)] == '#';
        // A backslash at the end of a line joins it with the next.
        while (true) {
            end = std::min(text_.find_first_of("\r\n", end), text_.size());
            std::size_t after = end + (text_.compare(end, 2, "\r\n") == 0 ? 2 : 1);
            if (comment || end == begin || end >= text_.size() || text_[end - 1] != '\\') {
                read_statement(std::string_view(text_).substr(begin, end - begin));
                return std::min(after, text_.size());
            }
            std::fill(text_.begin() + static_cast<std::ptrdiff_t>(end) - 1,
                      text_.begin() + static_cast<std::ptrdiff_t>(std::min(after, text_.size())),
                      ' ');
            ++n_lines_;
            end = std::min(after, text_.size());
        }
    }

    void read_statement(std::string_view statement) {
        std::string_view rest = statement;
        std::string_view keyword = next_word(rest);
        if (keyword == "v")
            read_vector(positions_, rest);
        else if (keyword == "vt")
            read_vector(uvs_, rest);
        else if (keyword == "vn")
            read_vector(normals_, rest);
        else if (keyword == "f")
            read_face(rest);
        else if (keyword == "s")
            read_smoothing_group(rest);
        else if (keyword == "o" && !rest.empty())
            result_.shapes.push_back({std::string(rest.substr(1)), {}, {}});
        else if (keyword == "g" && !rest.empty())
            read_group(rest);
        else if (keyword.starts_with("usemtl"))
            material_ = place_in(result_.used_materials, trimmed(trimmed(statement).substr(6)));
        else if (keyword == "mtllib")
            (void)place_in(result_.material_libraries, trimmed(rest));
    }

    void read_vector(Elements& list, std::string_view rest) {
        vec3& vector = list.values.emplace_back(0);
        if (list.count() > kMostElements) fail(line_, "too many elements for 32-bit indices");
        bool position = &list == &positions_;
        for (int k = 0; k < 3; ++k) {
            auto word = next_word(rest);
            auto value = real_in(word);
            if (k < list.n_needed) {
                if (word.empty())
                    fail(line_, described(list) + " has " + std::to_string(k) + " of " +
                                    std::to_string(list.n_needed) + " numbers");
                // Many exporters write NaN as normals and texture coordinates: those become 0. A
                // position that is NaN cannot be drawn.
                bool special = value && !std::isfinite(*value);
                if (!value || (position && (special || std::abs(*value) > kLargestCoordinate)))
                    fail(line_, described(list) + ": '" + std::string(word) + "' is " +
                                    (!value    ? "not a number"
                                     : special ? "not finite"
                                               : "beyond the largest coordinate, 1e15"));
            }
            vector[k] = value && !std::isnan(*value) ? static_cast<float>(*value) : 0;
        }
    }

    void read_face(std::string_view rest) {
        if (result_.shapes.empty()) result_.shapes.emplace_back();
        auto& shape = result_.shapes.back();
        std::size_t first = shape.corners.size();
        for (auto word = next_word(rest); !word.empty(); word = next_word(rest))
            shape.corners.push_back(corner(word));
        std::size_t n_corners = shape.corners.size() - first;
        if (n_corners < 3)
            fail(line_, "a face has " + std::to_string(n_corners) + " corners; it needs 3 or more");
        if (n_corners > kMostCorners)
            fail(line_, "a face has " + std::to_string(n_corners) + " corners; at most " +
                            std::to_string(kMostCorners) + " are read: triangulate it");
        shape.faces.push_back({static_cast<std::uint32_t>(n_corners), material_, smoothing_group_});
    }

    /// A corner is v, v/vt, v//vn or v/vt/vn.
    ObjCorner corner(std::string_view word) {
        Elements* lists[3] = {&positions_, &uvs_, &normals_};
        int indices[3] = {-1, -1, -1};
        std::string_view rest = word;
        for (int k = 0; k < 3; ++k) {
            auto part = rest.substr(0, rest.find('/'));
            bool last = part.size() == rest.size();
            bool omitted = k == 1 && part.empty() && !last;
            if (!omitted) indices[k] = index(*lists[k], part, word);
            if (last) return {indices[0], indices[1], indices[2]};
            rest.remove_prefix(part.size() + 1);
        }
        fail(line_, "the corner '" + std::string(word) + "' has more than three indices");
    }

    int index(Elements& list, std::string_view part, std::string_view corner) {
        auto given = number_in<std::int64_t>(part);
        if (!given)
            fail(line_,
                 "the corner '" + std::string(corner) + "' is not v, v/vt, v//vn or v/vt/vn");
        std::int64_t index = *given;
        if (index == 0) fail(line_, "index 0 in '" + std::string(corner) + "'; indices start at 1");
        if (index < 0 && list.count() + index < 0)
            fail(line_, std::string(list.name) + " " + std::to_string(index) + " in '" +
                            std::string(corner) + "' is before the first of the " +
                            std::to_string(list.count()) + " so far");
        if (index > list.greatest_index) {
            list.greatest_index = index;
            list.line_of_greatest = line_;
        }
        return static_cast<int>(index < 0 ? list.count() + index : index - 1);
    }

    /// A number, or "off".
    void read_smoothing_group(std::string_view rest) {
        result_.has_smoothing_groups = true;
        auto word = next_word(rest);
        if (word.empty()) return;
        smoothing_group_ = 0;
        std::from_chars(word.data(), word.data() + word.size(), smoothing_group_);
        smoothing_group_ = std::max(smoothing_group_, 0);
    }

    /// Reads the names of a group, joined by single spaces.
    void read_group(std::string_view rest) {
        std::string name;
        for (auto word = next_word(rest); !word.empty(); word = next_word(rest))
            name.append(name.empty() ? "" : " ").append(word);
        result_.shapes.push_back({std::move(name), {}, {}});
    }

    /// The index of `name` in `names`, added if it is missing; -1 for no name.
    static int place_in(std::vector<std::string>& names, std::string_view name) {
        if (name.empty()) return -1;
        auto place = std::find(names.begin(), names.end(), name) - names.begin();
        if (place == std::ssize(names)) names.emplace_back(name);
        return static_cast<int>(place);
    }

    std::string described(const Elements& list) const {
        return std::string(list.name) + " " + std::to_string(list.count());
    }
    [[noreturn]] void fail(std::size_t line, const std::string& what) const {
        throw UserError(file_ + ":" + std::to_string(line) + ": " + what);
    }

    std::string& text_;
    const std::string& file_;
    ObjFile result_;
    Elements positions_{"vertex", 3, {}}, uvs_{"texture coordinate", 1, {}},
        normals_{"normal", 3, {}};
    int material_ = -1, smoothing_group_ = 0;
    std::size_t n_lines_ = 0, line_ = 0;  // lines of the file; the first of the statement's
};

}  // namespace

ObjFile read_obj(std::string text, const std::string& file) {
    return ObjReader(text, file).read();
}

}  // namespace tl
