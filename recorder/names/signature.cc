#include "recorder/names/signature.h"

#include <cstring>

#include "recorder/clr/element_type.h"
#include "recorder/names/compressed.h"

namespace hindsight::recorder {
namespace {

namespace element = clr::element;

// Calling convention byte (II.23.2.3).
constexpr uint8_t kConventionMask = 0x0f;
constexpr uint8_t kConventionField = 0x6;
constexpr uint8_t kConventionLocals = 0x7;
constexpr uint8_t kConventionProperty = 0x8;
constexpr uint8_t kConventionGenericInst = 0xa;
constexpr uint8_t kConventionGeneric = 0x10;

constexpr std::string_view kPrimitives[] = {"",     "void",  "bool",   "char",   "sbyte",
                                            "byte", "short", "ushort", "int",    "uint",
                                            "long", "ulong", "float",  "double", "string"};

constexpr uint32_t kMaxRank = 32;
// Total number of types read per method: type specifications may refer to each other, so a few
// bytes could otherwise cause any amount of work.
constexpr uint32_t kMaxTypes = 4096;

// Cuts at a character's boundary.
void Cut(std::string& text) {
  if (text.size() <= kMaxParameterChars) return;
  size_t end = kMaxParameterChars;
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
}

class Reader {
 public:
  Reader(std::span<const uint8_t> bytes, SignatureResolver& resolver, uint32_t& types_left)
      : bytes_(bytes), resolver_(resolver), types_left_(types_left) {}

  bool Method(std::vector<std::string>& parameters) {
    uint32_t count = 0;
    std::string result;
    if (!MethodHeader(count) || !Type(0, result)) return false;
    for (uint32_t i = 0; i < count && i < kMaxSignatureParameters; ++i) {
      std::string parameter;
      if (!Type(0, parameter)) return false;
      parameters.push_back(std::move(parameter));
    }
    return true;
  }

  bool Type(uint32_t depth, std::string& out) {
    if (depth > kMaxSignatureDepth || types_left_ == 0) return false;
    --types_left_;
    uint8_t element = 0;
    if (!SkipModifiers(element)) return false;
    const bool ok = TypeAfter(element, depth, out);
    Cut(out);
    return ok;
  }

 private:
  bool Byte(uint8_t& value) {
    if (bytes_.empty()) return false;
    value = bytes_[0];
    bytes_ = bytes_.subspan(1);
    return true;
  }

  bool Unsigned(uint32_t& value) { return TakeCompressed(bytes_, value); }

  bool Token(clr::mdToken& token) {
    constexpr clr::mdToken kTables[] = {0x02000000, 0x01000000, 0x1b000000};
    uint32_t coded = 0;
    if (!Unsigned(coded) || (coded & 3) == 3) return false;
    token = kTables[coded & 3] | coded >> 2;
    return true;
  }

  bool Handle(uintptr_t& handle) {
    if (bytes_.size() < sizeof(handle)) return false;
    std::memcpy(&handle, bytes_.data(), sizeof(handle));
    bytes_ = bytes_.subspan(sizeof(handle));
    return true;
  }

  bool MethodHeader(uint32_t& parameter_count) {
    uint8_t convention = 0;
    if (!Byte(convention)) return false;
    switch (convention & kConventionMask) {
      case kConventionField:
      case kConventionLocals:
      case kConventionProperty:
      case kConventionGenericInst:
        return false;
    }
    uint32_t generic_count = 0;
    if ((convention & kConventionGeneric) != 0 && !Unsigned(generic_count)) return false;
    return Unsigned(parameter_count);
  }

  // Reads up to and including the first byte that is not a modifier.
  bool SkipModifiers(uint8_t& element) {
    for (;;) {
      if (!Byte(element)) return false;
      clr::mdToken token = 0;
      uintptr_t handle = 0;
      uint8_t required = 0;
      switch (element) {
        case element::kRequiredModifier:
        case element::kOptionalModifier:
          if (!Token(token)) return false;
          break;
        case element::kInternalModifier:
          if (!Byte(required) || !Handle(handle)) return false;
          break;
        case element::kSentinel:
        case element::kPinned:
          break;
        default:
          return true;
      }
    }
  }

  bool TypeAfter(uint8_t element, uint32_t depth, std::string& out) {
    if (element >= element::kVoid && element <= element::kString) {
      out = kPrimitives[element];
      return true;
    }
    switch (element) {
      case element::kIntPtr:
        out = "nint";
        return true;
      case element::kUIntPtr:
        out = "nuint";
        return true;
      case element::kObject:
        out = "object";
        return true;
      case element::kTypedByRef:
        out = "TypedReference";
        return true;
      case element::kPointer:
        if (!Type(depth + 1, out)) return false;
        out += "*";
        return true;
      case element::kByRef:
        if (!Type(depth + 1, out)) return false;
        out.insert(0, "ref ");
        return true;
      case element::kVector:
      case element::kArray:
        return Array(element == element::kVector, depth, out);
      case element::kValueType:
      case element::kClass:
        return Named(depth, out);
      case element::kGenericInstance:
        return GenericInstance(depth, out);
      case element::kVar:
        return GenericParameter(GenericOwner::kType, out);
      case element::kMethodVar:
        return GenericParameter(GenericOwner::kMethod, out);
      case element::kFunctionPointer:
        return FunctionPointer(depth, out);
      case element::kInternal:
        return Internal(out);
    }
    return false;
  }

  // The brackets of an array of arrays read from the outside in: int[][,] is a vector of int[,].
  bool Array(bool vector, uint32_t depth, std::string& out) {
    std::string element;
    if (!Type(depth + 1, element)) return false;
    uint32_t rank = 1;
    if (!vector && !Shape(rank)) return false;
    const std::string brackets = "[" + std::string(rank - 1, ',') + "]";
    const size_t inner = element.ends_with(']') ? FirstTrailingBracket(element) : element.size();
    out = element.insert(inner, brackets);
    return true;
  }

  static size_t FirstTrailingBracket(const std::string& text) {
    size_t at = text.size();
    while (at > 0 && text[at - 1] == ']') {
      const size_t open = text.rfind('[', at - 1);
      if (open == std::string::npos) break;
      at = open;
    }
    return at;
  }

  bool Shape(uint32_t& rank) {
    uint32_t sizes = 0;
    uint32_t bounds = 0;
    uint32_t ignored = 0;
    if (!Unsigned(rank) || rank == 0 || rank > kMaxRank) return false;
    if (!Unsigned(sizes) || sizes > rank) return false;
    for (; sizes != 0; --sizes) {
      if (!Unsigned(ignored)) return false;
    }
    if (!Unsigned(bounds) || bounds > rank) return false;
    for (; bounds != 0; --bounds) {
      if (!Unsigned(ignored)) return false;  // signed, but of the same length
    }
    return true;
  }

  bool Named(uint32_t depth, std::string& out) {
    clr::mdToken token = 0;
    if (!Token(token)) return false;
    if ((token & 0xff000000) == 0x1b000000) {
      Reader specification(resolver_.TypeSpec(token), resolver_, types_left_);
      return specification.Type(depth + 1, out);
    }
    out = CSharpTypeName(resolver_.TypeName(token));
    if (out.empty()) out = kUnknown;
    return true;
  }

  bool GenericInstance(uint32_t depth, std::string& out) {
    uint8_t kind = 0;
    std::string name;
    if (!Byte(kind)) return false;
    if (kind == element::kInternal) {
      uintptr_t handle = 0;
      if (!Handle(handle)) return false;
      name = resolver_.TypeNameByHandle(handle);
    } else if (kind == element::kClass || kind == element::kValueType) {
      clr::mdToken token = 0;
      if (!Token(token)) return false;
      name = resolver_.TypeName(token);
    } else {
      return false;
    }
    uint32_t count = 0;
    if (!Unsigned(count) || count > kMaxSignatureParameters) return false;
    std::vector<std::string> arguments(count);
    for (std::string& argument : arguments) {
      if (!Type(depth + 1, argument)) return false;
    }
    out = CSharpTypeName(name.empty() ? kUnknown : name, arguments);
    return true;
  }

  bool GenericParameter(GenericOwner owner, std::string& out) {
    uint32_t index = 0;
    if (!Unsigned(index)) return false;
    out = resolver_.GenericParameter(owner, index);
    if (out.empty()) out = "T";
    return true;
  }

  // delegate*<int, void>: the result comes last.
  bool FunctionPointer(uint32_t depth, std::string& out) {
    uint32_t count = 0;
    std::string result;
    if (!MethodHeader(count) || count > kMaxSignatureParameters) return false;
    if (!Type(depth + 1, result)) return false;
    out = "delegate*<";
    for (uint32_t i = 0; i < count; ++i) {
      std::string parameter;
      if (!Type(depth + 1, parameter)) return false;
      if (out.size() < kMaxParameterChars) out += parameter + ", ";
    }
    out += result + ">";
    return true;
  }

  bool Internal(std::string& out) {
    uintptr_t handle = 0;
    if (!Handle(handle)) return false;
    out = resolver_.TypeByHandle(handle);
    if (out.empty()) out = kUnknown;
    return true;
  }

  std::span<const uint8_t> bytes_;
  SignatureResolver& resolver_;
  uint32_t& types_left_;
};

}  // namespace

bool ReadParameters(std::span<const uint8_t> signature, SignatureResolver& resolver,
                    std::vector<std::string>& out) {
  out.clear();
  uint32_t types_left = kMaxTypes;
  return Reader(signature, resolver, types_left).Method(out);
}

}  // namespace hindsight::recorder
