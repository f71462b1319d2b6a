// Repairs checksums and lengths that readers check first: inputs in which these are wrong exercise
// nothing else.
#pragma once

#include <string>

namespace tl::fuzz {

/// Recomputes the checksums of a PNG's chunks, and the lengths of a GLB and of its chunks. Other
/// bytes stay as they are.
void repair(std::string& bytes);

}  // namespace tl::fuzz
