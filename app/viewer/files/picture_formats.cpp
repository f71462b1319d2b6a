#include "app/viewer/files/picture_formats.h"

#include <algorithm>
#include <filesystem>

#include "core/base/files.h"

namespace tl {

std::optional<PictureFormat> find_picture_format(const std::string& id) {
    auto found = std::ranges::find(kPictureFormats, id, &PictureFormatRow::id);
    if (found == kPictureFormats.end()) return {};
    return static_cast<PictureFormat>(found - kPictureFormats.begin());
}

PictureFormat picture_format_of(const std::string& path) {
    auto ending = lower_case(std::filesystem::path(path).extension().string());
    if (ending == ".exr") return PictureFormat::exr;
    if (ending == ".jpeg") return PictureFormat::jpeg;
    auto found = std::ranges::find(kPictureFormats, ending, &PictureFormatRow::extension);
    return found == kPictureFormats.end()
               ? PictureFormat::png
               : static_cast<PictureFormat>(found - kPictureFormats.begin());
}

}  // namespace tl
