#include "core/base/poison.h"

#include <cstdlib>

namespace tl {

bool poisons_memory() {
    static const bool poisons = std::getenv("TREELIGHT_POISON_MEMORY") != nullptr;
    return poisons;
}

}  // namespace tl
