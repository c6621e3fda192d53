# Completes the commands and options of listwright in bash.
_listwright() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  case $previous in
    --data-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    --key-file | --tls-cert | --tls-key | --reading | --save-reading) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --language) mapfile -t COMPREPLY < <(compgen -W 'en de' -- "$word"); return ;;
    --direction) mapfile -t COMPREPLY < <(compgen -W 'mirror both' -- "$word"); return ;;
    --conflicts) mapfile -t COMPREPLY < <(compgen -W 'local remote ask' -- "$word"); return ;;
    --type)
      local types='studio_subscriber_created studio_subscriber_updated studio_open studio_click studio_unsub'
      mapfile -t COMPREPLY < <(compgen -W "$types" -- "$word")
      return
      ;;
    --schedule) mapfile -t COMPREPLY < <(compgen -W 'manual interval on_change' -- "$word"); return ;;
  esac
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W 'start serve key check backup sync import events gate --help --version' -- "$word")
    return
  fi
  local words='--data-dir --json --language --help'
  case $command in
    start) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; compgen -f -- "$word"); return ;;
    serve) words+=' --port --set' ;;
    events) words+=' --type --forward-to --organization' ;;
    gate) words+=' --port --host --tls-cert --tls-key' ;;
    key) words+=' create list revoke --organization --user' ;;
    backup)
      compopt -o filenames
      words+=' create list verify restore recover export import --passphrase-file'
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; compgen -f -- "$word")
      return
      ;;
    import)
      compopt -o filenames
      words+=' --list --accept --reading --save-reading --update'
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; compgen -f -- "$word")
      return
      ;;
    sync)
      [ "$previous" = answer ] && words='send-again remove-here leave-out key'
      words+=' add run status verify pause answer remove --remote --url --organization --key-file --direction'
      words+=' --conflicts --lists --name --schedule --every --limit'
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _listwright listwright
