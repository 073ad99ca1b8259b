package dev.quire.proxy.config;

import dev.quire.core.rule.PasswordHash;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Masks the secrets of a configuration where it is shown. */
final class SecretMask {
    static final String MASK = "***";

    /**
     * The keys whose values are secrets, in any section, and the names of such fields. {@code
     * esi.device-token} is a name.
     */
    private static final Pattern KEYS =
            Pattern.compile(
                    "(?i)(?!device-token$)(.*[-_])?(secret|password|token|credentials|authorization|"
                            + "(api|auth|access|private)[-_]?key)");

    /** A reference to a variable, without a default, shows nothing. */
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{[A-Za-z0-9_]+}");

    /** Shorter secrets are masked in their own place only: they may be a part of other words. */
    private static final int MIN_EVERYWHERE = 8;

    /**
     * Merge keys are not resolved: their values are in the tree, also those that another key of the
     * mapping replaces. The reader has limited the copies by aliases.
     */
    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setMaxAliasesForCollections(Integer.MAX_VALUE).build();

    private SecretMask() {}

    static boolean isSecret(String key) {
        return KEYS.matcher(key).matches();
    }

    /** Returns {@code yaml}, which is valid, without the values of its secrets. */
    static String masked(String yaml) {
        // An alias is the node of its anchor again.
        Set<ScalarNode> secrets = Collections.newSetFromMap(new IdentityHashMap<>());
        new Compose(SETTINGS).composeString(yaml).ifPresent(root -> collect(root, false, secrets));
        var found = new ArrayList<>(secrets);
        found.sort(Comparator.comparingInt(SecretMask::start).reversed());
        var masked = yaml;
        for (var secret : found) {
            int from = masked.offsetByCodePoints(0, start(secret));
            int to = yaml.offsetByCodePoints(0, end(secret));
            var written = yaml.substring(from, to);
            masked =
                    masked.substring(0, from)
                            + secret.getAnchor()
                                    .map(anchor -> "&" + anchor.getValue() + " ")
                                    .orElse("")
                            + '"'
                            + MASK
                            + '"'
                            + (written.endsWith("\n") ? "\n" : "")
                            + masked.substring(to);
        }
        for (var secret : found) {
            // A comment may repeat it.
            var value = secret.getValue();
            if (value.length() >= MIN_EVERYWHERE) {
                masked = masked.replace(value, MASK);
            }
        }
        return Problem.withoutUserinfo(masked);
    }

    private static void collect(Node node, boolean isSecret, Set<ScalarNode> found) {
        switch (node) {
            case MappingNode mapping ->
                    mapping.getValue()
                            .forEach(member -> {
                                boolean isNamed =
                                        member.getKeyNode() instanceof ScalarNode key
                                                && isSecret(key.getValue());
                                collect(member.getValueNode(), isNamed, found);
                            });
            case SequenceNode list ->
                    list.getValue().forEach(each -> collect(each, isSecret, found));
            case ScalarNode value -> {
                if ((isSecret || PasswordHash.of(value.getValue()).isPresent())
                        && !REFERENCE.matcher(value.getValue()).matches()) {
                    found.add(value);
                }
            }
            default -> {}
        }
    }

    private static int start(Node node) {
        return node.getStartMark().orElseThrow(SecretMask::noMark).getIndex();
    }

    private static int end(Node node) {
        return node.getEndMark().orElseThrow(SecretMask::noMark).getIndex();
    }

    private static IllegalStateException noMark() {
        return new IllegalStateException("expected a tree with positions");
    }
}
