// Where ordercheck keeps what it reads at run time: rules/, matrix/, report_templates/, src/drivers/.
#pragma once

#include <filesystem>
#include <optional>

namespace ordercheck {

// The nearest folder above the running program that holds `path`. Of each folder above, share/ordercheck in it counts too:
// an installation (cmake --install, a wheel, a Debian package) is laid out there as a checkout is. Nothing where none does.
std::optional<std::filesystem::path> home_of(const std::filesystem::path& path);

// The running program's own path; empty where the system does not tell.
std::filesystem::path own_program();

}  // namespace ordercheck
