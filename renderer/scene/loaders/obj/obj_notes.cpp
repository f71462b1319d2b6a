#include "renderer/scene/loaders/obj/obj_notes.h"

#include <algorithm>

#include "core/base/text.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

constexpr std::size_t kMostKeywords = 8;  // that a message lists

/// "1 point", "3 points".
std::string counted_things(std::size_t n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace

void ObjNotes::add(ObjNote what, std::size_t line) {
    auto& count = counts_[static_cast<std::size_t>(what)];
    if (count.n++ == 0) count.first_line = line;
}

void ObjNotes::add_statement(std::string_view keyword) {
    ++n_statements_;
    if (keywords_.size() < kMostKeywords) list_keyword(shown(keyword));
}

void ObjNotes::add(const ObjNotes& later) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i].n == 0) counts_[i].first_line = later.counts_[i].first_line;
        counts_[i].n += later.counts_[i].n;
    }
    n_statements_ += later.n_statements_;
    for (auto& name : later.keywords_) list_keyword(name);
}

void ObjNotes::list_keyword(const std::string& name) {
    if (keywords_.size() < kMostKeywords && std::ranges::find(keywords_, name) == keywords_.end())
        keywords_.push_back(name);
}

std::string ObjNotes::instead_of_faces() const {
    std::vector<std::string> things;
    for (auto& [note, name] : {std::pair{ObjNote::free_surface, "free-form surface"},
                               std::pair{ObjNote::free_curve, "free-form curve"}})
        if (of(note).n > 0) things.push_back(counted_things(of(note).n, name));
    return joined(things);
}

std::vector<std::string> ObjNotes::warnings(const std::string& file) const {
    std::vector<std::string> lines;
    if (auto things = instead_of_faces(); !things.empty())
        lines.push_back(file + ": " + things + " not drawn; faces, lines and points are");
    auto add = [&](ObjNote note, const std::string& one, const std::string& many) {
        auto& count = of(note);
        if (count.n > 0)
            lines.push_back(file + ":" + std::to_string(count.first_line) + ": " +
                            (count.n == 1 ? one : std::to_string(count.n) + many));
    };
    add(ObjNote::small_face, "a face of fewer than three corners is skipped",
        " faces of fewer than three corners are skipped, of which this is the first");
    add(ObjNote::no_normals, "names a normal, but the file has none; they are made from the faces",
        " corners name a normal from here on, but the file has none; they are made from the faces");
    add(ObjNote::no_uvs, "names a texture coordinate, but the file has none; they are 0",
        " corners name a texture coordinate from here on, but the file has none; they are 0");
    add(ObjNote::normal, "a normal is no finite vector, and is made from the faces around",
        " normals are no finite vectors, of which this is the first; they are made from the faces "
        "around");
    add(ObjNote::uv, "a texture coordinate is not finite, and is 0 instead",
        " texture coordinates are not finite, of which this is the first; they are 0 instead");
    add(ObjNote::packed_color,
        "an #MRGB line has what is no colour of eight hexadecimal digits, and is not used from "
        "there on",
        " #MRGB lines have what is no colour of eight hexadecimal digits, of which this is the "
        "first, and are not used from there on");
    add(ObjNote::surplus_color,
        "an #MRGB line has more colours than there are vertices, and is not used from there on",
        " #MRGB lines have more colours than there are vertices, of which this is the first, and "
        "are not used from there on");
    add(ObjNote::lost_point, "a point without finite coordinates is left out",
        " points without finite coordinates are left out, of which this is the first");
    add(ObjNote::shape, "the objects and groups from here on are one mesh, since there are so many",
        " objects and groups from here on are one mesh, since there are so many");
    if (n_statements_ > 0)
        lines.push_back(file + ": ignores " + counted_things(n_statements_, "statement") + ": " +
                        joined(keywords_) + (keywords_.size() == kMostKeywords ? ", ..." : ""));
    return lines;
}

}  // namespace tl
