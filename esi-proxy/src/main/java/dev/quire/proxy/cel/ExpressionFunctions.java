package dev.quire.proxy.cel;

import com.google.common.hash.Hashing;
import dev.cel.checker.CelStandardDeclarations;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.exceptions.CelInvalidArgumentException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelStringExtensions;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelStandardFunctions;
import dev.cel.runtime.standard.AddOperator;
import dev.cel.runtime.standard.InOperator;
import dev.quire.core.expression.SearchPattern;
import dev.quire.core.rule.DeviceClass;
import dev.quire.core.rule.TextPattern;
import dev.quire.core.text.Network;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The functions of expressions: those of the library without the ones that defeat types, and our
 * own. Patterns and networks that are constants are compiled with the expression. Thread-safe.
 */
final class ExpressionFunctions {
    /** The most chars of a text that an expression makes. */
    static final int MAX_TEXT = 65_536;

    /** Operators and macros; they have other names in the syntax. */
    private static final Set<String> MACROS =
            Set.of("has", "all", "exists", "exists_one", "map", "filter");

    /** Those that defeat types, that make large values, and that are replaced by our own. */
    private static final Set<String> EXCLUDED = Set.of("dyn", "type", "bytes", "matches");

    private static final CelType ADDRESS = OpaqueType.create("net.IP");
    private static final CelType NETWORK = OpaqueType.create("net.CIDR");

    private static final CelStringExtensions STRINGS =
            CelExtensions.strings(
                    CelStringExtensions.Function.CHAR_AT,
                    CelStringExtensions.Function.INDEX_OF,
                    CelStringExtensions.Function.LAST_INDEX_OF,
                    CelStringExtensions.Function.LOWER_ASCII,
                    CelStringExtensions.Function.SPLIT,
                    CelStringExtensions.Function.SUBSTRING,
                    CelStringExtensions.Function.TRIM,
                    CelStringExtensions.Function.UPPER_ASCII);

    private static final List<CelFunctionDecl> OWN =
            List.of(
                    function(
                            "matches",
                            member(
                                    "text_matches",
                                    SimpleType.BOOL,
                                    SimpleType.STRING,
                                    SimpleType.STRING)),
                    function(
                            "glob",
                            global(
                                    "text_glob",
                                    SimpleType.BOOL,
                                    SimpleType.STRING,
                                    SimpleType.STRING)),
                    function(
                            "replace",
                            member(
                                    "text_replace",
                                    SimpleType.STRING,
                                    SimpleType.STRING,
                                    SimpleType.STRING,
                                    SimpleType.STRING)),
                    function("ip", global("text_ip", ADDRESS, SimpleType.STRING)),
                    function("cidr", global("text_cidr", NETWORK, SimpleType.STRING)),
                    function(
                            "containsIP",
                            member(
                                    "cidr_contains_text",
                                    SimpleType.BOOL,
                                    NETWORK,
                                    SimpleType.STRING),
                            member("cidr_contains_ip", SimpleType.BOOL, NETWORK, ADDRESS)),
                    function(
                            "bucket",
                            global(
                                    "text_bucket",
                                    SimpleType.INT,
                                    SimpleType.STRING,
                                    SimpleType.INT)),
                    function(
                            "device", global("text_device", SimpleType.STRING, SimpleType.STRING)));

    private final Map<String, SearchPattern> searches = new ConcurrentHashMap<>();
    private final Map<String, TextPattern> globs = new ConcurrentHashMap<>();
    private final Map<String, Network> networks = new ConcurrentHashMap<>();

    static CelStringExtensions strings() {
        return STRINGS;
    }

    static List<CelFunctionDecl> own() {
        return OWN;
    }

    static CelStandardDeclarations standardDeclarations() {
        return CelStandardDeclarations.newBuilder()
                .filterFunctions(
                        (function, overload) -> !EXCLUDED.contains(function.functionDecl().name()))
                .excludeIdentifiers(CelStandardDeclarations.StandardIdentifier.values())
                .build();
    }

    static CelStandardFunctions standardFunctions() {
        return CelStandardFunctions.newBuilder()
                .filterFunctions((function, overload) ->
                        function != CelStandardFunctions.StandardFunction.MATCHES
                                && overload != InOperator.InOverload.IN_MAP
                                && overload != AddOperator.AddOverload.ADD_STRING)
                .build();
    }

    /** The names that an expression can call, without operators. */
    static Set<String> names() {
        var names = new TreeSet<>(MACROS);
        names.addAll(CelStandardDeclarations.getAllFunctionNames());
        names.removeAll(EXCLUDED);
        STRINGS.functions().forEach(each -> names.add(each.name()));
        OWN.forEach(each -> names.add(each.name()));
        names.removeIf(name -> !Character.isLetter(name.charAt(0)));
        return names;
    }

    /**
     * Compiles the constant argument of {@code function}.
     *
     * @throws IllegalArgumentException if it is not valid
     */
    void prepare(String function, String constant) {
        switch (function) {
            case "matches" ->
                    searches.computeIfAbsent(
                            constant, text -> SearchPattern.of(text, TextPattern.MAX_SIZE));
            case "glob" -> globs.computeIfAbsent(constant, TextPattern::glob);
            case "cidr" -> networks.computeIfAbsent(constant, Network::parse);
            case "ip" -> address(constant);
            default -> {}
        }
    }

    /**
     * Returns the index of the argument, not counting the target, that is prepared if it is a
     * constant; or -1.
     */
    static int preparedArgument(String function) {
        return switch (function) {
            case "matches", "cidr", "ip" -> 0;
            case "glob" -> 1;
            default -> -1;
        };
    }

    /** Whether the prepared argument must be a constant: requests must not choose patterns. */
    static boolean requiresConstant(String function) {
        return function.equals("matches") || function.equals("glob");
    }

    // The maps only get values while expressions are compiled.
    @SuppressWarnings("Immutable")
    List<CelFunctionBinding> bindings() {
        var all = new ArrayList<CelFunctionBinding>();
        all.add(
                CelFunctionBinding.from(
                        "in_map", Object.class, Map.class, (key, map) -> map.containsKey(key)));
        all.add(
                CelFunctionBinding.from(
                        "add_string", String.class, String.class, ExpressionFunctions::joined));
        all.add(
                CelFunctionBinding.from(
                        "text_matches",
                        String.class,
                        String.class,
                        (text, pattern) -> prepared(searches, pattern).isFoundIn(text)));
        all.add(
                CelFunctionBinding.from(
                        "text_glob",
                        String.class,
                        String.class,
                        (text, pattern) -> prepared(globs, pattern).matches(text)));
        all.add(
                CelFunctionBinding.from(
                        "text_replace",
                        List.of(String.class, String.class, String.class),
                        arguments ->
                                replaced(
                                        (String) arguments[0],
                                        (String) arguments[1],
                                        (String) arguments[2])));
        all.add(
                CelFunctionBinding.from(
                        "text_ip",
                        String.class,
                        text -> valid(text, ExpressionFunctions::address)));
        all.add(CelFunctionBinding.from("text_cidr", String.class, this::network));
        all.add(
                CelFunctionBinding.from(
                        "cidr_contains_text",
                        Network.class,
                        String.class,
                        (network, text) ->
                                network.contains(valid(text, ExpressionFunctions::address))));
        all.add(
                CelFunctionBinding.from(
                        "cidr_contains_ip", Network.class, InetAddress.class, Network::contains));
        all.add(
                CelFunctionBinding.from(
                        "text_bucket", String.class, Long.class, ExpressionFunctions::bucket));
        all.add(
                CelFunctionBinding.from(
                        "text_device", String.class, agent -> DeviceClass.of(agent).label()));
        return all;
    }

    private static <T> T prepared(Map<String, T> values, String constant) {
        var value = values.get(constant);
        if (value == null) {
            throw new IllegalStateException("a pattern that was not compiled with its expression");
        }
        return value;
    }

    private Network network(String text) {
        var constant = networks.get(text);
        return constant == null ? valid(text, Network::parse) : constant;
    }

    private static InetAddress address(String text) {
        return Network.address(text)
                .orElseThrow(() -> new IllegalArgumentException(text + " is not an address"));
    }

    private static <T> T valid(String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new CelInvalidArgumentException(e);
        }
    }

    /** Stable: also after a restart, and on other machines. */
    private static long bucket(String text, long count) {
        if (count <= 0) {
            throw new CelInvalidArgumentException("not a number of buckets");
        }
        return Math.floorMod(Hashing.murmur3_128().hashUnencodedChars(text).asLong(), count);
    }

    private static String joined(String one, String other) {
        requireAllowed((long) one.length() + other.length());
        return one.concat(other);
    }

    private static void requireAllowed(long length) {
        if (length > MAX_TEXT) {
            throw new CelInvalidArgumentException("the text becomes too long");
        }
    }

    private static String replaced(String text, String search, String replacement) {
        long count = search.isEmpty() ? text.length() + 1L : 0;
        if (!search.isEmpty()) {
            for (int at = text.indexOf(search); at >= 0; ) {
                count++;
                at = text.indexOf(search, at + search.length());
            }
        }
        requireAllowed(text.length() + count * (replacement.length() - search.length()));
        return text.replace(search, replacement);
    }

    private static CelFunctionDecl function(String name, CelOverloadDecl... overloads) {
        return CelFunctionDecl.newFunctionDeclaration(name, overloads);
    }

    private static CelOverloadDecl member(String id, CelType result, CelType... arguments) {
        return CelOverloadDecl.newMemberOverload(id, result, arguments);
    }

    private static CelOverloadDecl global(String id, CelType result, CelType... arguments) {
        return CelOverloadDecl.newGlobalOverload(id, result, arguments);
    }
}
