// Sums and lengths that readers check before anything else: inputs whose are wrong get no further.
#pragma once

#include <string>

namespace tl::fuzz {

/// Sets the checksums of a PNG's chunks, and a GLB's length and those of its chunks, to what its
/// bytes have; other bytes stay as they are.
void repair(std::string& bytes);

}  // namespace tl::fuzz
