#include "renderer/scene/loaders/obj/obj_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/obj/obj_colors.h"
#include "renderer/scene/loaders/obj/obj_notes.h"
#include "renderer/scene/loaders/polygon.h"
#include "renderer/scene/loaders/recentre.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

constexpr std::size_t kMostCorners = 4096;             // of one face: triangulating is quadratic
constexpr std::int64_t kMostElements = 2'000'000'000;  // indices are int
constexpr std::size_t kMostShapes = 100'000;           // a mesh takes about a kilobyte

/// One of the lists that faces index: positions, texture coordinates, normals.
struct Elements {
    const char* name;
    int n_needed;  // required numbers per element; omitted others are 0
    std::int64_t count = 0;
    std::int64_t greatest_index = 0;  // faces may refer to elements of later lines
    std::size_t line_of_greatest = 0;
};

/// Cuts faces of more than three corners into triangles.
class Triangulator {
  public:
    Triangulator(const std::vector<vec3>& positions, const std::string& file)
        : positions_(positions), file_(file) {}

    void triangulate(ObjShape& shape) {
        auto polygons = std::move(shape);
        ObjShape triangles{std::move(polygons.name), {}, {}};
        triangles.corners.reserve(polygons.corners.size());
        triangles.faces.reserve(polygons.faces.size());
        const ObjCorner* corners = polygons.corners.data();
        for (auto& face : polygons.faces) {
            auto cut = triangles_of({corners, face.n_corners});
            if (cut.empty()) throw UserError(file_ + ": " + cutter_.refusal(face.n_corners));
            for (auto& triangle : cut) {
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
    const std::string& file_;
    PolygonCutter cutter_{QuadCut::shorter};
    std::vector<vec3> corners_;  // of a polygon
};

class ObjReader {
  public:
    ObjReader(std::string& text, const std::string& file, const ReadProgress& progress)
        : text_(text), file_(file), progress_(progress) {}

    ObjFile read() {
        if (auto nul = text_.find('\0'); nul != std::string::npos)
            throw UserError(file_ + ": byte " + std::to_string(nul) +
                            " is zero: this is no OBJ text, which is UTF-8, or UTF-16 with a byte "
                            "order mark");
        WorkLoop loop(progress_, "parsing", text_.size());
        for (std::size_t begin = 0; begin < text_.size(); begin = read_line(begin)) loop.at(begin);
        loop.end();
        if (uvs_.count == 0) forget(&ObjCorner::uv, uvs_, ObjNote::no_uvs);
        if (normals_.count == 0) forget(&ObjCorner::normal, normals_, ObjNote::no_normals);
        for (auto* list : {&positions_, &uvs_, &normals_})
            if (list->greatest_index > list->count)
                fail(list->line_of_greatest,
                     std::string(list->name) + " " + std::to_string(list->greatest_index) +
                         " is named, but the file has " + std::to_string(list->count) +
                         "; it may be cut off");
        std::erase_if(result_.shapes, [](auto& shape) { return shape.faces.empty(); });
        if (result_.shapes.empty() && result_.strokes.empty()) take_all_as_points();
        if (!lost_positions_.empty()) leave_out_lost_points();
        place();
        result_.colors = colors_.take(result_.positions.size());
        Triangulator triangulator(result_.positions, file_);
        for (auto& shape : result_.shapes) triangulator.triangulate(shape);
        result_.warnings = notes_.warnings(file_);
        return std::move(result_);
    }

  private:
    /// Clears the corners' indices in a list that the file does not have.
    void forget(int ObjCorner::*index, Elements& list, ObjNote note) {
        for (auto& shape : result_.shapes)
            for (auto& corner : shape.corners)
                if (std::exchange(corner.*index, -1) >= 0) notes_.add(note, list.line_of_greatest);
        list.greatest_index = 0;
    }

    /// A file of vertices alone is a cloud of points.
    void take_all_as_points() {
        if (auto others = notes_.instead_of_faces(); !others.empty())
            throw UserError(file_ + ": has no faces but " + others +
                            ", so there is nothing to draw; export surfaces as polygons");
        if (positions_.count == 0 || notes_.has(ObjNote::small_face))
            throw UserError(file_ + ": has no faces, so there is nothing to draw" +
                            (text_.empty() ? " (the file is empty)" : ""));
        for (int i = 0; i < static_cast<int>(positions_.count); ++i)
            result_.strokes.push_back({i, i, -1});
    }

    /// Leaves out points without a finite position. A face or line that names such a position is an
    /// error.
    void leave_out_lost_points() {
        auto lost = [&](int position) {
            auto found = std::ranges::lower_bound(lost_positions_, position, {}, &Lost::position);
            return found != lost_positions_.end() && found->position == position ? &*found
                                                                                 : nullptr;
        };
        auto check = [&](int position) {
            if (auto* named = lost(position))
                fail(named->line, "vertex " + std::to_string(position + 1) +
                                      ", which a face or line names, is not finite");
        };
        for (auto& shape : result_.shapes)
            for (auto& corner : shape.corners) check(corner.position);
        std::erase_if(result_.strokes, [&](const ObjStroke& stroke) {
            auto* named = lost(stroke.from);
            bool is_lost_point = named && stroke.from == stroke.to;
            if (is_lost_point) {
                notes_.add(ObjNote::lost_point, named->line);
            } else {
                check(stroke.from);
                check(stroke.to);
            }
            return is_lost_point;
        });
        if (result_.shapes.empty() && result_.strokes.empty())
            fail(lost_positions_.front().line,
                 "none of the points has coordinates that are finite");
        for (auto& one : lost_positions_)
            exact_positions_[static_cast<std::size_t>(one.position)] = glm::dvec3(0);
    }

    /// Converts the positions to floats, relative to a point near those that are referenced.
    void place() {
        WideBox bounds;
        for (auto& shape : result_.shapes)
            for (auto& corner : shape.corners)
                bounds.extend(exact_positions_[static_cast<std::size_t>(corner.position)]);
        for (auto& stroke : result_.strokes)
            for (int end : {stroke.from, stroke.to})
                bounds.extend(exact_positions_[static_cast<std::size_t>(end)]);
        result_.offset = recentring_offset(bounds);
        result_.positions = recentred(exact_positions_, result_.offset);
        exact_positions_ = {};
    }

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
            read_position(rest);
        else if (keyword == "vt")
            read_uv(rest);
        else if (keyword == "vn")
            read_normal(rest);
        else if (keyword == "f" || keyword == "fo")
            read_face(rest);
        else if (keyword == "l")
            read_line_element(rest);
        else if (keyword == "p")
            read_points(rest);
        else if (keyword == "s")
            read_smoothing_group(rest);
        else if (keyword == "o")
            read_object(rest);
        else if (keyword == "g")
            read_group(rest);
        else if (keyword.starts_with("usemtl"))
            material_ = place_in(result_.used_materials, material_places_,
                                 trimmed(trimmed(statement).substr(6)));
        else if (keyword == "mtllib")
            (void)place_in(result_.material_libraries, library_places_, trimmed(rest));
        else if (keyword == "#MRGB")
            read_packed_colors(rest);
        else if (!keyword.empty() && keyword[0] != '#')
            note_statement(keyword);
    }

    /// Counts a statement that is not drawn.
    void note_statement(std::string_view keyword) {
        constexpr std::pair<std::string_view, ObjNote> kCounted[] = {
            {"curv", ObjNote::free_curve},  {"curv2", ObjNote::free_curve},
            {"cdc", ObjNote::free_curve},   {"surf", ObjNote::free_surface},
            {"bzp", ObjNote::free_surface}, {"bsp", ObjNote::free_surface},
            {"cdp", ObjNote::free_surface}};
        // Parts of free-form curves and surfaces.
        constexpr std::string_view kParts[] = {"vp",   "cstype", "deg",  "bmat", "step",
                                               "parm", "trim",   "hole", "scrv", "sp",
                                               "con",  "end",    "res"};
        for (auto& [name, note] : kCounted)
            if (name == keyword) return notes_.add(note, line_);
        if (std::ranges::find(kParts, keyword) == std::end(kParts)) notes_.add_statement(keyword);
    }

    /// Reads the numbers of an element, at most `kCount` of them. Fails where one that is needed is
    /// missing or a word is no number; a number may be infinite or NaN.
    template <int kCount>
    std::array<double, kCount> read_numbers(Elements& list, std::string_view& rest) {
        if (++list.count > kMostElements) fail(line_, "too many elements for 32-bit indices");
        std::array<double, kCount> numbers{};
        for (int k = 0; k < kCount; ++k) {
            auto word = next_word(rest);
            auto value = real_in(word);
            if (k < list.n_needed && word.empty())
                fail(line_, described(list) + " has " + std::to_string(k) + " of " +
                                std::to_string(list.n_needed) + " numbers");
            if (k < list.n_needed && !value)
                fail(line_, described(list) + ": '" + shown(word) + "' is not a number");
            numbers[static_cast<std::size_t>(k)] = value.value_or(0);
        }
        return numbers;
    }

    void read_position(std::string_view rest) {
        std::string_view words = rest;
        auto [x, y, z] = read_numbers<3>(positions_, rest);
        glm::dvec3& position = exact_positions_.emplace_back(x, y, z);
        bool is_finite = true;
        for (int axis = 0; axis < 3; ++axis) {
            auto word = next_word(words);
            is_finite = is_finite && std::isfinite(position[axis]);
            if (std::isfinite(position[axis]) && std::abs(position[axis]) > kLargestCoordinate)
                fail(line_, described(positions_) + ": '" + shown(word) +
                                "' is beyond the largest coordinate, 1e15");
        }
        if (!is_finite) lost_positions_.push_back({static_cast<int>(positions_.count) - 1, line_});
        // A fourth number is a weight, which polygons ignore; three more are a colour.
        if (rest.empty()) return;
        vec3 color;
        for (int k = 0; k < 3; ++k) {
            auto part = real_in(next_word(rest));
            if (!part) return;
            color[k] = static_cast<float>(*part);
        }
        colors_.add(exact_positions_.size() - 1, color);
    }

    void read_packed_colors(std::string_view rest) {
        auto left_over = colors_.add_packed(rest, exact_positions_.size());
        if (left_over == ObjColors::Rest::no_color) notes_.add(ObjNote::packed_color, line_);
        if (left_over == ObjColors::Rest::more_than_vertices)
            notes_.add(ObjNote::surplus_color, line_);
    }

    void read_uv(std::string_view rest) {
        auto [u, v] = read_numbers<2>(uvs_, rest);
        vec2 uv(u, v);
        if (!std::isfinite(uv.x) || !std::isfinite(uv.y)) notes_.add(ObjNote::uv, line_);
        result_.uvs.push_back(finite_or_zero(uv));
    }

    void read_normal(std::string_view rest) {
        auto [x, y, z] = read_numbers<3>(normals_, rest);
        vec3 normal(x, y, z);
        bool is_usable = std::isfinite(glm::length(normal));
        if (!is_usable) notes_.add(ObjNote::normal, line_);
        result_.normals.push_back(is_usable ? normal : vec3(0));
    }

    /// The position that v or v/vt names.
    int position(std::string_view word) { return corner(word).position; }

    void read_line_element(std::string_view rest) {
        int from = -1;
        for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) {
            int to = position(word);
            if (from >= 0 && from != to) result_.strokes.push_back({from, to, material_});
            from = to;
        }
    }

    void read_points(std::string_view rest) {
        for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) {
            int place = position(word);
            result_.strokes.push_back({place, place, material_});
        }
    }

    void read_face(std::string_view rest) {
        auto& shape = shape_of_faces();
        std::size_t first = shape.corners.size();
        for (auto word = next_word(rest); !word.empty(); word = next_word(rest))
            shape.corners.push_back(corner(word));
        std::size_t n_corners = shape.corners.size() - first;
        if (n_corners < 3) {
            shape.corners.resize(first);
            notes_.add(ObjNote::small_face, line_);
            return;
        }
        if (n_corners > kMostCorners)
            fail(line_, "a face has " + std::to_string(n_corners) + " corners; at most " +
                            std::to_string(kMostCorners) + " are read: triangulate it");
        shape.faces.push_back({static_cast<std::uint32_t>(n_corners), material_, smoothing_group_});
    }

    /// The object or group that faces belong to now. It starts with its first face, so that the
    /// number of shapes is bounded by that of faces.
    ObjShape& shape_of_faces() {
        auto& shapes = result_.shapes;
        if (next_name_ && !shapes.empty() && shapes.back().faces.empty()) {
            shapes.back().name = *next_name_;
        } else if (next_name_ && shapes.size() == kMostShapes) {
            notes_.add(ObjNote::shape, line_);
        } else if (next_name_) {
            shapes.push_back({*next_name_, {}, {}});
        }
        next_name_.reset();
        return shapes.back();
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
        fail(line_, "the corner '" + shown(word) + "' has more than three indices");
    }

    int index(Elements& list, std::string_view part, std::string_view corner) {
        auto given = number_in<std::int64_t>(part);
        if (!given)
            fail(line_, "the corner '" + shown(corner) + "' is not v, v/vt, v//vn or v/vt/vn");
        std::int64_t index = *given;
        if (index == 0) fail(line_, "index 0 in '" + shown(corner) + "'; indices start at 1");
        if (index < 0 && list.count + index < 0)
            fail(line_, std::string(list.name) + " " + std::to_string(index) + " in '" +
                            shown(corner) + "' is before the first of the " +
                            std::to_string(list.count) + " so far");
        if (index > list.greatest_index) {
            list.greatest_index = index;
            list.line_of_greatest = line_;
        }
        return static_cast<int>(index < 0 ? list.count + index : index - 1);
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

    void read_object(std::string_view rest) {
        if (!rest.empty()) next_name_ = std::string(rest.substr(1));
    }

    /// Reads the names of a group, joined by single spaces.
    void read_group(std::string_view rest) {
        if (rest.empty()) return;
        std::string name;
        for (auto word = next_word(rest); !word.empty(); word = next_word(rest))
            name.append(name.empty() ? "" : " ").append(word);
        next_name_ = std::move(name);
    }

    /// Index of `name` in `names`, added if it is missing; -1 for no name. The map has the indices
    /// of all names.
    static int place_in(std::vector<std::string>& names,
                        std::unordered_map<std::string, int>& places, std::string_view name) {
        if (name.empty()) return -1;
        auto [place, is_new] =
            places.try_emplace(std::string(name), static_cast<int>(names.size()));
        if (is_new) names.emplace_back(name);
        return place->second;
    }

    [[nodiscard]] static std::string described(const Elements& list) {
        return std::string(list.name) + " " + std::to_string(list.count);
    }
    [[noreturn]] void fail(std::size_t line, const std::string& what) const {
        throw UserError(file_ + ":" + std::to_string(line) + ": " + what);
    }

    std::string& text_;
    const std::string& file_;
    const ReadProgress& progress_;
    ObjFile result_;
    ObjNotes notes_;
    ObjColors colors_;
    struct Lost {
        int position;
        std::size_t line;
    };
    std::vector<Lost> lost_positions_;  // those that are not finite, in their order
    std::vector<glm::dvec3> exact_positions_;
    Elements positions_{"vertex", 3}, uvs_{"texture coordinate", 1}, normals_{"normal", 3};
    std::unordered_map<std::string, int> material_places_, library_places_;
    std::optional<std::string> next_name_{""};  // of the shape that the next face starts
    int material_ = -1, smoothing_group_ = 0;
    std::size_t n_lines_ = 0, line_ = 0;  // lines of the file; the first of the statement's
};

}  // namespace

ObjFile read_obj(std::string text, const std::string& file, const ReadProgress& progress) {
    return ObjReader(text, file, progress).read();
}

}  // namespace tl
