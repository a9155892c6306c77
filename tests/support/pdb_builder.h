// Small portable PDBs and the assemblies that they belong to, byte by byte.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hindsight {

// A GUID and a stamp, 20 bytes, that differ by `seed`.
std::string PdbId(char seed = 'a');

class PdbBuilder {
 public:
  struct Point {
    uint32_t il_offset = 0;
    uint32_t line = 0;      // 0: hidden
    uint32_t document = 0;  // 0: that of the point before
  };

  // Returns its number. The path is cut into blobs at its slashes, as compilers do.
  uint32_t AddDocument(std::string_view path);
  // Returns its token. Points of more than one document: `document` is 0, and the first point has
  // one.
  uint32_t AddMethod(uint32_t document, const std::vector<Point>& points);
  void AddStateMachine(uint32_t move_next_token, uint32_t kickoff_token);
  void SetSourceLink(std::string_view json) { source_link_ = json; }
  // Rows of the assembly's tables beyond the methods: with many, indices get wide.
  void SetExternalRows(unsigned table, uint32_t rows) { external_[table] = rows; }

  std::string Build(std::string_view id = PdbId()) const;

 private:
  uint32_t Blob(std::string_view content);

  std::string blobs_ = std::string(1, '\0');
  std::vector<uint32_t> documents_;                     // blob of the name
  std::vector<std::pair<uint32_t, uint32_t>> methods_;  // document, blob of the points
  std::vector<std::pair<uint32_t, uint32_t>> state_machines_;
  std::string source_link_;
  std::map<unsigned, uint32_t> external_;
};

struct AssemblyFile {
  std::string mvid = std::string(16, 'm');
  std::string pdb_id = PdbId();
  std::string pdb_path = "/build/obj/Shop.pdb";
  std::string embedded = "";  // a PDB; it is deflated
};
std::string BuildAssembly(const AssemblyFile& assembly);

}  // namespace hindsight
