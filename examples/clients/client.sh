#!/usr/bin/env bash
# A random agent that speaks Mensura's protocol over its standard streams, for discrete actions.
#
#     mensura assess "cmd:bash client.sh"
#
# It needs no JSON library: Mensura writes id, ask and seat first and without spaces.
declare -A first count
while IFS= read -r line; do
    if ! [[ $line =~ ^\{\"id\":([0-9]+),\"ask\":\"([a-z]+)\"(,\"seat\":([0-9]+))? ]]; then
        echo "$line" >&2 # why Mensura hangs up
        exit 1
    fi
    id=${BASH_REMATCH[1]} ask=${BASH_REMATCH[2]} seat=${BASH_REMATCH[4]} value=null
    case $ask in
    hello)
        value='{"version":1}'
        ;;
    begin)
        if ! [[ $line =~ \"action_space\":\{\"kind\":\"discrete\",\"n\":([0-9]+),\"start\":(-?[0-9]+)\} ]]; then
            echo "{\"id\":$id,\"error\":\"only discrete actions are known\"}"
            continue
        fi
        count[$seat]=${BASH_REMATCH[1]} first[$seat]=${BASH_REMATCH[2]}
        [[ $line =~ \"seed\":([0-9]+) ]] && RANDOM=${BASH_REMATCH[1]: -9}
        ;;
    act)
        value=$((first[$seat] + RANDOM % count[$seat]))
        ;;
    esac
    echo "{\"id\":$id,\"value\":$value}"
done
