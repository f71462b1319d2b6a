#include "renderer/optics/ggx_tables.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

namespace tl {
namespace {

/// Bytes of the tables, which write_ggx_tables computes during the build.
constexpr std::uint32_t kGgxWords[] = {
#include "renderer/optics/ggx_words.inc"
};
static_assert(sizeof(kGgxWords) == sizeof(GgxTables) && std::is_trivially_copyable_v<GgxTables>);

}  // namespace

const GgxTables& ggx_tables() {
    static const std::unique_ptr<const GgxTables> tables = [] {
        auto made = std::make_unique<GgxTables>();
        std::memcpy(static_cast<void*>(made.get()), kGgxWords, sizeof(kGgxWords));
        return made;
    }();
    return *tables;
}

}  // namespace tl
