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
    std::string_view name;  ///< name of the reader, and of the folder with its seeds
    /// Reads a file; returns the warnings. Throws what the program's reader throws.
    std::vector<std::string> (*read)(const std::string& path);
    /// File that is read instead of the input and refers to it, such as an OBJ that uses the input
    /// as its materials; "" where the input is read itself.
    std::string_view named_by = "";
    /// Memory that the reader may take whatever the size of the file, bytes.
    std::size_t fixed_bytes = std::size_t{2} << 20;
    /// Additional memory that the reader may take for each byte of the file.
    std::size_t bytes_per_byte = 40;
    /// Processor time that one input may take, seconds.
    double most_seconds = test::kSanitized ? 10 : 2;
    /// Whether a file legitimately needs more time or memory than the limits allow; such inputs are
    /// left out. Null if no file does.
    bool (*asks_for_much)(std::string_view bytes) = nullptr;
};

[[nodiscard]] const std::vector<Reader>& readers();
/// Throws UsageError that lists the known readers.
[[nodiscard]] const Reader& find_reader(std::string_view name);

/// Committed seeds of a reader: valid files, ordered by name.
[[nodiscard]] std::vector<Input> seeds_of(const Reader& reader);
/// Committed inputs, valid or not, that once made a reader fail, ordered by name.
[[nodiscard]] std::vector<Input> found_of(const Reader& reader);
/// Copies the files that seeds refer to into a folder.
void copy_companions(const std::string& folder);

}  // namespace tl::fuzz
