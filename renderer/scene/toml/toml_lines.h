// Text of scene files: values and tables of TOML.
#pragma once

#include <string>
#include <string_view>

#include "core/base/text.h"
#include "renderer/scene/scene_edits.h"

namespace tl {

[[nodiscard]] std::string toml_string(std::string_view text);
[[nodiscard]] std::string toml_vector(const vec3& v);
[[nodiscard]] std::string toml_vector(const glm::dvec3& v);
/// A point in the coordinates of the scene's files: the scene's offset is added.
[[nodiscard]] std::string toml_place(vec3 place, const glm::dvec3& offset);
/// A setting's text as a value of TOML that is read back as the same text.
[[nodiscard]] std::string setting_value(const std::string& text);

/// The lines of a table; only changed values are written.
class TomlLines {
  public:
    explicit TomlLines(const std::string& title) : text_("\n") { text_.append(title).append("\n"); }

    void add(const char* key, const std::string& value) {
        text_ += std::string(key) + " = " + value + "\n";
    }
    void differing(const char* key, vec3 now, vec3 before) {
        if (now != before) add(key, toml_vector(now));
    }
    void differing(const char* key, float now, float before) {
        if (now != before) add(key, number_text(now));
    }
    void add(const char* key, vec3 value) { add(key, toml_vector(value)); }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
};

/// A part's name before edits if only it has that and TOML can hold it, else its number.
[[nodiscard]] std::string toml_reference(const EditedScene& edited, const ItemId& id);

/// Name by which a scene file at `path` refers to another file.
[[nodiscard]] std::string name_from(const std::string& path, const std::string& file);

}  // namespace tl
