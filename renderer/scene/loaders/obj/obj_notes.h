// Counts parts of an OBJ file that are not drawn, or drawn otherwise, while it is read.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tl {

/// In the order of the messages.
enum class ObjNote {
    free_surface,
    free_curve,
    small_face,
    no_normals,
    no_uvs,
    normal,
    uv,
    packed_color,
    surplus_color,
    lost_point,
    shape,
    count,
};

class ObjNotes {
  public:
    /// Counts one; `line` is that of the file.
    void add(ObjNote what, std::size_t line);
    /// Counts a statement that is not read.
    void add_statement(std::string_view keyword);
    /// Adds the counts of later lines.
    void add(const ObjNotes& later);

    [[nodiscard]] bool has(ObjNote what) const { return of(what).n > 0; }
    /// "3 free-form surfaces, 1 free-form curve": contents that replace faces; "" for none.
    [[nodiscard]] std::string instead_of_faces() const;
    /// A warning of each kind.
    [[nodiscard]] std::vector<std::string> warnings(const std::string& file) const;

  private:
    struct Count {
        std::size_t n = 0, first_line = 0;
    };
    [[nodiscard]] const Count& of(ObjNote what) const {
        return counts_[static_cast<std::size_t>(what)];
    }
    void list_keyword(const std::string& name);

    std::array<Count, static_cast<std::size_t>(ObjNote::count)> counts_{};
    std::vector<std::string> keywords_;  ///< of the statements that are not read, some of them
    std::size_t n_statements_ = 0;
};

}  // namespace tl
