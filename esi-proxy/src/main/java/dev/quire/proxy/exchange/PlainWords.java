package dev.quire.proxy.exchange;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Faults and addresses in the words of operators: {@code connection refused}. */
public final class PlainWords {
    /** For example {@code finishConnect(..) failed with error(-111): }. */
    private static final Pattern SYSTEM_CALL =
            Pattern.compile("^[\\w:]+\\(\\.\\.\\) failed(?: with error\\(-?\\d+\\))?(?:: )?");

    /** The address at the end, which the message names anyway. */
    private static final Pattern ADDRESS = Pattern.compile(": \\S*/\\S+:\\d+$");

    private PlainWords() {}

    /** Returns what went wrong, without the names of classes and system calls. */
    public static String of(@Nullable Throwable fault) {
        return switch (fault) {
            case null -> "unknown fault";
            case NoSuchFileException gone -> "no such file or directory";
            case AccessDeniedException denied -> "permission denied";
            case FileSystemException other when other.getReason() != null ->
                    plain(other.getReason());
            case UnknownHostException unknown -> "unknown host " + unknown.getMessage();
            default -> fault.getMessage() == null ? name(fault) : plain(fault.getMessage());
        };
    }

    public static String of(SocketAddress address) {
        return address instanceof InetSocketAddress inet && inet.getAddress() != null
                ? NetUtil.toSocketAddressString(inet)
                : address.toString();
    }

    private static String plain(String message) {
        var rest = SYSTEM_CALL.matcher(message).replaceFirst("");
        rest = ADDRESS.matcher(rest).replaceFirst("");
        return rest.isEmpty() ? message : decapitalized(rest);
    }

    /** Unless it begins with an abbreviation. */
    private static String decapitalized(String text) {
        boolean isWord = text.length() > 1 && Character.isLowerCase(text.charAt(1));
        return isWord ? text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1) : text;
    }

    /** {@code ClosedChannelException} is {@code closed channel}. */
    private static String name(Throwable fault) {
        return fault.getClass()
                .getSimpleName()
                .replaceAll("(Exception|Error)$", "")
                .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                .toLowerCase(Locale.ROOT);
    }
}
