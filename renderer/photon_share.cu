#include "renderer/photon_share.h"

#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

void add_numbers(Stream& stream, View<std::uint32_t> sums, View<const std::uint32_t> more) {
    parallel_for(
        stream, "add numbers", static_cast<std::uint32_t>(sums.size),
        TL_LAMBDA(std::uint32_t i) { sums[i] += more[i]; });
}

TL_DEVICE_END
