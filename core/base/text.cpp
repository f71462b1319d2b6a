#include "core/base/text.h"

namespace tl {

std::string concatenated(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (auto part : parts) text += part;
    return text;
}

}  // namespace tl
