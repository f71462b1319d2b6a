#include "tests/source_path.h"

namespace tl {

std::string source_path(std::string_view in_checkout) {
    return std::string(TL_SOURCE_DIR "/").append(in_checkout);
}

}  // namespace tl
