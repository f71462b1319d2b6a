// The scenes of the gallery as entries of the menu, with their thumbnails.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/viewer/viewer_interface.h"

namespace tl {

/// A scene of the gallery: scenes/gallery/ID.toml, shown by assets/thumbnails/ID.png.
struct Example {
    const char *id, *title;
    const char* help;  ///< what it shows, and what to try
};
[[nodiscard]] std::span<const Example> examples();

/// The path of the example's scene; "" where the scenes do not lie beside the program.
[[nodiscard]] std::string path_of(const Example& example);

/// The paths of the examples and their thumbnails, in one picture that becomes a texture.
class ExamplesView : public SectionState {
  public:
    /// Finds the scenes and reads the thumbnails, at the first call. A missing one stays black.
    void load();
    /// Path of an example's scene, after load(); "" where there is none.
    [[nodiscard]] const std::string& path(std::size_t index) const { return paths_[index]; }
    /// The cell of an example's thumbnail; without a texture before the loop has uploaded it.
    [[nodiscard]] MenuPicture picture(std::size_t index) const;

  private:
    std::vector<std::string> paths_;  ///< empty before load()
};

/// Entries that open the examples; none where the scenes do not lie beside the program.
[[nodiscard]] std::vector<MenuEntry> example_entries(const ViewerModel& model);
inline constexpr const char* kNoExamples = "the folder scenes/gallery is not beside the program";

}  // namespace tl
