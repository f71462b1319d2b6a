// The readers of files that are fuzzed, by name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/mutator.h"
#include "tests/sanitized.h"

namespace tl::fuzz {

struct Reader {
    std::string_view name;  ///< also of the folder with its seeds
    /// Reads a file; returns the warnings. Throws what the program's reader throws.
    std::vector<std::string> (*read)(const std::string& path);
    /// The file that is the input's, where another file is read that names it; "" where the input
    /// is read itself.
    std::string_view named_by = "";
    /// Memory that the reader may take whatever the size of the file.
    std::size_t fixed_bytes = std::size_t{2} << 20;
    /// And for each byte of the file.
    std::size_t bytes_per_byte = 40;
    /// Processor time that one input may take.
    double most_seconds = test::kSanitized ? 10 : 2;
    /// Whether a file rightly asks for more time or memory than the limits allow; such inputs are
    /// left out. Null if none does.
    bool (*asks_for_much)(std::string_view bytes) = nullptr;
};

[[nodiscard]] const std::vector<Reader>& readers();
/// Throws UsageError that lists the known ones.
[[nodiscard]] const Reader& find_reader(std::string_view name);

/// The committed seeds of a reader, valid files, in the order of their names.
[[nodiscard]] std::vector<Input> seeds_of(const Reader& reader);
/// Those inputs, valid or not, that a reader once had a fault with, likewise.
[[nodiscard]] std::vector<Input> found_of(const Reader& reader);
/// Copies the files that seeds refer to into a folder.
void copy_companions(const std::string& folder);

}  // namespace tl::fuzz
